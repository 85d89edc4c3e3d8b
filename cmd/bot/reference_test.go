package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	for _, c := range place.calls() {
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
	t.Logf("%d tools, %d calls, %d as they should, %d questions asked", len(called), len(place.calls()), well, asked)
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

// calls are one of each tool.
func (p referencePlace) calls() (all []refCall) {
	add := func(tool, want string, args map[string]any, says ...string) {
		b, _ := json.Marshal(args) // plain data
		all = append(all, refCall{tool, string(b), want, says})
	}
	type m = map[string]any
	for _, server := range []string{"everything__", "everyhttp__"} {
		add(server+"echo", "Echo: hello", m{"message": "hello"})
		add(server+"get-annotated-message", "Error: Operation failed", m{"messageType": "error", "includeImage": true})
		add(server+"get-env", "PATH", m{})
		add(server+"get-resource-links", "demo://resource", m{"count": 2})
		add(server+"get-resource-reference", "Resource 1", m{"resourceType": "Text", "resourceId": 1})
		add(server+"get-structured-content", "temperature", m{"location": "New York"})
		add(server+"get-sum", "The sum of 1 and 2 is 3", m{"a": 1, "b": 2})
		add(server+"get-tiny-image", "picture of", m{})
		add(server+"gzip-file-as-resource", "the person gets it", m{"name": "x.gz", "data": "data:text/plain,hello", "outputType": "resource"})
		add(server+"toggle-simulated-logging", "logging", m{})
		add(server+"toggle-simulated-logging", "logging", m{}) // and off
		add(server+"toggle-subscriber-updates", "updates", m{})
		add(server+"toggle-subscriber-updates", "updates", m{})
		add(server+"trigger-long-running-operation", "operation completed", m{"duration": 3, "steps": 6})
		add(server+"trigger-elicitation-request", "fish-3", m{}, "Ann Example", "tomorrow", "2001-02-03",
			"yes", "not a mail", "ann@example.org", "skip", "https://example.org", "500", "7", "2", "skip", "1, 3",
			"Wonder Woman", "skip", "yes please", "phoebe")
		add(server+"trigger-elicitation-request", "declined", m{}, "no")
		add(server+"trigger-elicitation-request", "cancel", m{}, "/stop")
		add(server+"trigger-url-elicitation", "accept", m{"url": "https://example.org/open", "message": "Log in"}, "yes")
		add(server+"trigger-url-elicitation", "decline", m{"url": "https://example.org/open2"}, "no")
		add(server+"trigger-url-elicitation", "accept", m{"url": "https://example.org/open3", "errorPath": true}, "yes", "yes")
		add(server+"list_resources", "demo://resource", m{})
		add(server+"read_resource", "architecture", m{"uri": "demo://resource/static/document/architecture.md"})
		add(server+"list_prompts", "args-prompt", m{})
		add(server+"get_prompt", "weather in Rome", m{"name": "args-prompt", "arguments": m{"city": "Rome"}})
	}
	in := func(name string) string { return filepath.Join(p.files, name) }
	add("files__list_allowed_directories", p.files, m{})
	add("files__write_file", "Successfully", m{"path": in("new.txt"), "content": "fresh"})
	add("files__edit_file", "fresher", m{"path": in("new.txt"), "edits": []m{{"oldText": "fresh", "newText": "fresher"}}})
	add("files__create_directory", "Successfully", m{"path": in("sub")})
	add("files__move_file", "Successfully", m{"source": in("new.txt"), "destination": in("sub/new.txt")})
	add("files__read_file", "alpha", m{"path": in("a.txt")})
	add("files__read_text_file", "alpha", m{"path": in("a.txt"), "head": 1})
	add("files__read_media_file", "picture of", m{"path": in("p.png")})
	add("files__read_multiple_files", "fresher", m{"paths": []string{in("a.txt"), in("sub/new.txt")}})
	add("files__list_directory", "a.txt", m{"path": p.files})
	add("files__list_directory_with_sizes", "a.txt", m{"path": p.files})
	add("files__directory_tree", "new.txt", m{"path": p.files})
	add("files__search_files", "new.txt", m{"path": p.files, "pattern": "**/new*"})
	add("files__get_file_info", "size", m{"path": in("a.txt")})
	add("memory__create_entities", "Otter", m{"entities": []m{{"name": "Otter", "entityType": "animal", "observations": []string{"swims"}},
		{"name": "River", "entityType": "place", "observations": []string{}}}})
	add("memory__create_relations", "lives in", m{"relations": []m{{"from": "Otter", "to": "River", "relationType": "lives in"}}})
	add("memory__add_observations", "plays", m{"observations": []m{{"entityName": "Otter", "contents": []string{"plays"}}}})
	add("memory__read_graph", "plays", m{})
	add("memory__search_nodes", "Otter", m{"query": "swims"})
	add("memory__open_nodes", "River", m{"names": []string{"River"}})
	add("memory__delete_observations", "success", m{"deletions": []m{{"entityName": "Otter", "observations": []string{"plays"}}}})
	add("memory__delete_relations", "success", m{"relations": []m{{"from": "Otter", "to": "River", "relationType": "lives in"}}})
	add("memory__delete_entities", "success", m{"entityNames": []string{"Otter"}})
	add("memory__list_resources", "memory", m{})
	add("memory__read_resource", "River", m{"uri": "memory://knowledge-graph"})
	add("thinking__sequentialthinking", "thoughtNumber", m{"thought": "first", "nextThoughtNeeded": false,
		"thoughtNumber": 1, "totalThoughts": 1})
	add("time__get_current_time", "UTC", m{"timezone": "UTC"})
	add("time__convert_time", "Asia/Tokyo", m{"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"})
	add("fetch__fetch", "hold hands", m{"url": p.page})
	add("fetch__list_prompts", "fetch", m{})
	add("fetch__get_prompt", "hold hands", m{"name": "fetch", "arguments": m{"url": p.page}})
	add("git__git_status", "f.txt", m{"repo_path": p.repo})
	add("git__git_add", "staged", m{"repo_path": p.repo, "files": []string{"f.txt"}})
	add("git__git_diff_staged", "one", m{"repo_path": p.repo})
	add("git__git_reset", "reset", m{"repo_path": p.repo})
	add("git__git_add", "staged", m{"repo_path": p.repo, "files": []string{"f.txt"}})
	add("git__git_commit", "committed", m{"repo_path": p.repo, "message": "add f"})
	add("git__git_diff_unstaged", "Unstaged", m{"repo_path": p.repo})
	add("git__git_create_branch", "Created branch", m{"repo_path": p.repo, "branch_name": "side"})
	add("git__git_checkout", "side", m{"repo_path": p.repo, "branch_name": "side"})
	add("git__git_diff", "main", m{"repo_path": p.repo, "target": "main"})
	add("git__git_log", "add f", m{"repo_path": p.repo})
	add("git__git_show", "add f", m{"repo_path": p.repo, "revision": "HEAD"})
	add("git__git_branch", "side", m{"repo_path": p.repo, "branch_type": "local"})
	return all
}
