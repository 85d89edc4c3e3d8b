package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

func fetched(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(b)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := waittest.Address(t)
	w.env = append(w.env, "BOT_HTTP_LISTEN="+at)
	w.run(t)
	w.llm.Queue(
		llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "current_time", Args: `{}`}, {ID: "2", Name: "rm_rf_everything", Args: `{}`}},
			Usage: [2]int{100, 10}},
		llmtest.Turn{Text: "noon", Usage: [2]int{200, 5}},
		llmtest.Turn{Status: 400, Body: `{"error":{"message":"no"}}`},
	)
	w.saying(t, 7, 7, "what time is it?")
	w.saying(t, 7, 7, "fail")
	lift := w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Status: 500})
	w.tg.Push(telegramtest.Text(7, 7, "stuck"))
	eventually(t, "the answer is made and a part waits", func() bool {
		text := fetched(t, "http://"+at+"/metrics")
		return strings.Contains(text, "parley_waiting_parts 1") && strings.Contains(text, `outcome="ok",purpose="answer"} 3`)
	})
	text := fetched(t, "http://"+at+"/metrics")
	for _, want := range []string{
		`parley_model_calls_total{model="test",outcome="ok",purpose="answer"} 3`,
		`parley_model_calls_total{model="test",outcome="failed",purpose="answer"} 1`,
		`parley_tool_calls_total{status="success",tool="current_time"} 1`, `parley_tool_calls_total{status="failed",tool="unknown"} 1`,
		`parley_model_tokens_total{kind="prompt",model="test"} `, `parley_platform_up{platform="telegram"} 1`,
		`parley_model_first_token_seconds_count{model="test"} `, `parley_build_info{goversion="go`, "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "rm_rf") {
		t.Error("a name that the model made up is a label")
	}
	lift()
	w.sent(t, 3)
	dashboardMatches(t, text)
}

var metricName = regexp.MustCompile(`parley_[a-z_]+`)

// dashboardMatches holds deploy/grafana.json to what there is, both ways.
func dashboardMatches(t *testing.T, metrics string) {
	t.Helper()
	b, err := os.ReadFile("../../deploy/grafana.json")
	must(t, err)
	if !json.Valid(b) {
		t.Error("deploy/grafana.json is not JSON")
	}
	for _, name := range metricName.FindAllString(string(b), -1) {
		if !strings.Contains(metrics, name) {
			t.Errorf("the dashboard shows %s, which there is not", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (parley_\w+)`).FindAllStringSubmatch(metrics, -1) {
		if !strings.Contains(string(b), m[1]) {
			t.Errorf("the dashboard does not show %s", m[1])
		}
	}
}
