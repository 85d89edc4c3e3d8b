package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/internal/text/waittest"
	"parley/internal/tools"
)

// exchange is what a reference server answered to a request, as it was
// recorded: one a line in testdata, without ids.
type exchange struct {
	Method string          `json:"method"`
	Params map[string]any  `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// replay answers as a recorded server did, and logs to its standard output as
// careless ones do.
func replay(file string) {
	var all []exchange
	data, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(data)) {
		var e exchange
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			panic(err)
		}
		all = append(all, e)
	}
	fmt.Println("[INFO] starting")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var asked struct {
			ID json.RawMessage `json:"id"`
			exchange
		}
		if json.Unmarshal(in.Bytes(), &asked) != nil || asked.ID == nil {
			continue
		}
		fmt.Println(`{"level":"info","msg":"a request"}`)
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", asked.ID, answerOf(all, asked.exchange))
	}
}

func answerOf(all []exchange, asked exchange) string {
	delete(asked.Params, "_meta")
	for _, e := range all {
		if e.Method == asked.Method && (e.Params == nil || reflect.DeepEqual(e.Params, asked.Params)) {
			if e.Error != nil {
				return `"error":` + string(e.Error)
			}
			return `"result":` + string(e.Result)
		}
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

// reference runs a client over recorded servers until the test ends.
func reference(t *testing.T, names ...string) *Client {
	t.Helper()
	var servers []Server
	for _, name := range names {
		file, err := filepath.Abs(filepath.Join("testdata", name+".jsonl"))
		must(t, err)
		servers = append(servers, childServer(name, "replay:"+file))
	}
	c, _ := live(t, Options{Dir: t.TempDir(), Servers: servers})
	waittest.Until(t, "all connected", func() bool {
		for _, s := range c.Status() {
			if !s.Connected {
				return false
			}
		}
		return true
	})
	return c
}

// What the reference servers have, as they said it themselves.
func TestReferenceServers(t *testing.T) {
	t.Parallel()
	want := map[string]int{"everything": 12 + 4, "filesystem": 14, "memory": 9 + 2, "thinking": 1, "time": 2, "fetch": 1 + 2, "git": 12}
	c := reference(t, "everything", "filesystem", "memory", "thinking", "time", "fetch", "git")
	for _, s := range c.Status() {
		if len(s.Tools) != want[s.Server] || len(s.Pending) > 0 {
			t.Errorf("%s has %d tools, want %d: %v", s.Server, len(s.Tools), want[s.Server], s.Tools)
		}
	}
	for name, m := range map[string]tools.Meta{
		"everything__get-sum":               {SideEffect: true},
		"everything__gzip-file-as-resource": {SideEffect: true},
		"everything__get_prompt":            {SideEffect: true},
		"filesystem__write_file":            {SideEffect: true},
		"filesystem__read_text_file":        {SideEffect: true},
		"memory__delete_entities":           {SideEffect: true},
		"memory__list_resources":            {ReadOnly: true},
		"fetch__fetch":                      {SideEffect: true},
		"git__git_commit":                   {SideEffect: true},
		"git__git_status":                   {SideEffect: true},
	} {
		s, ok := c.Set().Lookup(name)
		if !ok || s.ReadOnly != m.ReadOnly || s.SideEffect != m.SideEffect || !s.Egress || (s.Hints != nil &&
			s.Hints.ReadOnly) != (s.Claim != nil) {
			t.Errorf("%s: %t %+v", name, ok, s.Meta)
		}
	}
	if _, ok := c.Set().Lookup("everything__simulate-research-query"); ok {
		t.Error("a tool that runs only as a task is offered")
	}
}

func TestReferenceCalls(t *testing.T) {
	t.Parallel()
	c := reference(t, "everything", "filesystem", "time")
	for _, tt := range []struct{ name, args, want, files string }{
		{"everything__get-sum", `{"a":1,"b":2}`, "The sum of 1 and 2 is 3.", ""},
		{"everything__get-structured-content", `{"location":"New York"}`, "temperature", ""},
		{"everything__get-resource-reference", `{"resourceType":"Blob","resourceId":1}`, "Resource 1: This is a base64 blob", ""},
		{"everything__gzip-file-as-resource", `{"name":"x.gz","data":"data:text/plain,hello","outputType":"resource"}`,
			"the person gets it", "x.gz application/gzip"},
		{"everything__list_resources", `{}`, "demo://resource/static/document/architecture.md", ""},
		{"everything__list_resources", `{}`, "demo://resource/dynamic/text/{resourceId}", ""},
		{"everything__read_resource", `{"uri":"demo://resource/dynamic/blob/1"}`, "This is a base64 blob", ""},
		{"everything__list_prompts", `{}`, "- args-prompt(city, state?)", ""},
		{"everything__get_prompt", `{"name":"args-prompt","arguments":{"city":"Rome"}}`, "user:\nWhat's weather in Rome?", ""},
		{"filesystem__read_media_file", `{"path":"/data/fs/p.png"}`, "[picture of 70 bytes", "filesystem-1.png image/png"},
		{"time__convert_time", `{"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}`, "Asia/Tokyo", ""},
	} {
		o := run(t, c, tt.name, tt.args)
		got := ""
		if files := o.Result.Files; len(files) == 1 {
			got = files[0].Name + " " + files[0].MIME
		}
		if o.Class != "" || !o.Result.Untrusted || !strings.Contains(o.Result.Content, tt.want) || got != tt.files {
			t.Errorf("%s: %s, files %q: %.400s", tt.name, o.Class, got, o.Result.Content)
		}
	}
}

// An address of the web tells its host what a turn put into it.
func TestResourcesOfTheWeb(t *testing.T) {
	t.Parallel()
	c := reference(t, "everything")
	run(t, c, "everything__list_resources", `{}`)
	for uri, want := range map[string]tools.Class{
		"https://evil.example/?q=secret": tools.NeedsYes,
		"HTTPS://evil.example/":          tools.NeedsYes,
		"demo://resource/dynamic/blob/1": "",
		"https://good.example/":          tools.Broken, // the server has none
	} {
		var r tools.Runner
		args, _ := json.Marshal(map[string]string{"uri": uri})
		taint := tools.Taint{Private: true, Hosts: []string{"good.example"}}
		if o := r.Run(t.Context(), c.Set(), tools.Call{Name: "everything__read_resource", Args: args, Taint: taint}); o.Class != want {
			t.Errorf("%s: %s %s", uri, o.Class, o.Result.Content)
		}
	}
}
