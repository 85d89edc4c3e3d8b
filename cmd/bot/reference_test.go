package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// referenceDir is where the reference tool servers are installed: node_modules
// and venv (eval/servers).
const referenceDir = "PARLEY_REFERENCE_SERVERS"

// refCall is one call of a reference server's tool, made through the chat.
type refCall struct {
	tool, args string
	want       string   // stands in the result, as the model reads it
	says       []string // what the person answers to what they are asked, in order
}

// TestReferenceServers talks with the real program on the fake Telegram. A
// scripted model calls each tool of the reference servers once; the person says
// yes, and answers what servers ask. It is run by hand: see eval/servers.
func TestReferenceServers(t *testing.T) {
	dir := os.Getenv(referenceDir)
	if dir == "" {
		t.Skip(referenceDir + " names no folder")
	}
	w, place := referenceWorld(t, dir)
	w.run(t)
	w.shows(t, "/tools servers", "everyhttp: up")
	for _, name := range []string{"everything", "files", "memory", "thinking", "time", "fetch", "git"} {
		w.shows(t, "/tools servers", name+": up")
	}
	asked, well := 0, 0
	called := map[string]bool{}
	calls := place.calls(t)
	for _, c := range calls {
		began := time.Now()
		got := w.say(t, 1, "CALL "+c.tool+" "+c.args)
		questions := 0
		for ; !strings.HasPrefix(got, "RESULT") && questions < 30; questions++ {
			answer := "yes"
			if !strings.Contains(got, "Please answer yes or no.") && len(c.says) > 0 {
				answer, c.says = c.says[0], c.says[1:]
			}
			t.Logf("%s asks: %s\n> %s", c.tool, got, answer)
			got = w.say(t, 1, answer)
		}
		asked += questions
		called[c.tool] = true
		if !strings.Contains(got, c.want) || len(c.says) > 0 {
			t.Errorf("%s %s: %.600s (not said: %q)", c.tool, c.args, got, c.says)
			continue
		}
		well++
		t.Logf("ok %s in %v, %d questions", c.tool, time.Since(began).Round(10*time.Millisecond), questions)
	}
	for _, name := range offeredByServers(w.say(t, 1, "/tools")) {
		if !called[name] {
			t.Errorf("%s was never called", name)
		}
	}
	t.Logf("%d tools, %d calls, %d as they should, %d questions asked", len(called), len(calls), well, asked)
	if strings.Contains(w.log.String(), "panic") {
		t.Error("a panic is in the log")
	}
}

var serverTool = regexp.MustCompile(`\b(?:everything|everyhttp|files|memory|thinking|time|fetch|git)__[A-Za-z0-9_-]+`)

func offeredByServers(list string) []string { return serverTool.FindAllString(list, -1) }

// referencePlace is what the servers work on.
type referencePlace struct{ files, repo, page string }

// referenceWorld is a bot with all reference servers.
func referenceWorld(t *testing.T, dir string) (*world, referencePlace) {
	t.Helper()
	p := referencePlace{files: t.TempDir(), repo: t.TempDir()}
	must(t, os.WriteFile(filepath.Join(p.files, "a.txt"), []byte("alpha\nbeta\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(p.files, "p.png"), []byte("\x89PNG\r\n\x1a\nrest"), 0o600))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.email", "ann@example.org"}, {"config", "user.name", "Ann"},
		{"commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", p.repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	must(t, os.WriteFile(filepath.Join(p.repo, "f.txt"), []byte("one\n"), 0o600))
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body><article><h1>Otters</h1><p>Otters hold hands while they sleep.</p></article></body></html>")
	}))
	t.Cleanup(page.Close)
	p.page = page.URL
	url := everythingOverHTTP(t, dir)
	script := func(name string) string {
		return filepath.Join(dir, "node_modules/@modelcontextprotocol", name, "dist/index.js")
	}
	python := func(name string) string { return filepath.Join(dir, "venv/bin", name) }
	settings := fmt.Sprintf(`mcp:
  servers:
    - {name: everything, command: [node, %q, stdio]}
    - {name: everyhttp, url: %q}
    - {name: files, command: [node, %q, %q]}
    - {name: memory, command: [node, %q], env: [%q]}
    - {name: thinking, command: [node, %q]}
    - {name: time, command: [%q, --local-timezone, UTC]}
    - {name: fetch, command: [%q, --allow-private-ips]}
    - {name: git, command: [%q]}
`, script("server-everything"), url, script("server-filesystem"), p.files, script("server-memory"),
		"MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.jsonl"),
		script("server-sequential-thinking"), python("mcp-server-time"), python("mcp-server-fetch"), python("mcp-server-git"))
	w := newWorld(t)
	w.settings(t, settings)
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == "tool" {
			return llmtest.Turn{Text: "RESULT " + last.Text()}
		}
		_, call, _ := strings.Cut(last.Text(), "CALL ")
		name, args, _ := strings.Cut(call, " ")
		args, _, _ = strings.Cut(args, "\n")
		return llmtest.Turn{Calls: []llmtest.Call{{Name: name, Args: args}}}
	})
	return w, p
}

// everythingOverHTTP starts the server that has some of everything on loopback.
func everythingOverHTTP(t *testing.T, dir string) (url string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(waittest.Address(t))
	cmd := exec.Command("node", filepath.Join(dir, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	url = fmt.Sprintf("http://127.0.0.1:%s/mcp", port)
	waittest.Until(t, "the server over HTTP", func() bool {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	return url
}

// calls reads eval/servers/calls.txt: one of each tool.
func (p referencePlace) calls(t *testing.T) (all []refCall) {
	t.Helper()
	b, err := os.ReadFile("../../eval/servers/calls.txt")
	must(t, err)
	text := strings.NewReplacer("$FILES", p.files, "$REPO", p.repo, "$PAGE", p.page).Replace(string(b))
	for line := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch mark {
		case "!":
			tool, args, _ := strings.Cut(rest, " ")
			all = append(all, refCall{tool: tool, args: args})
		case "<":
			all[len(all)-1].want = rest
		case ">":
			all[len(all)-1].says = append(all[len(all)-1].says, rest)
		}
	}
	var each []refCall
	for _, server := range []string{"everything__", "everyhttp__"} {
		for _, c := range all {
			if name, ok := strings.CutPrefix(c.tool, "EVERY__"); ok {
				c.tool = server + name
				each = append(each, c)
			}
		}
	}
	return append(each, slices.DeleteFunc(all, func(c refCall) bool { return strings.HasPrefix(c.tool, "EVERY__") })...)
}
