package config

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/text"
)

var update = flag.Bool("update", false, "write bot.example.yaml anew")

func TestDefaultsAreValid(t *testing.T) {
	if err := Default().Validate(nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range Settings() {
		if s.Doc == "" {
			t.Errorf("%s has no sentence", s.Path)
		}
	}
}

func TestExampleIsCompleteAndEqualToTheDefaults(t *testing.T) {
	if *update {
		if err := os.WriteFile("bot.example.yaml", []byte(Example()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("bot.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != Example() {
		t.Error("bot.example.yaml is out of step: go test ./config -update")
	}
	got, err := Load(Options{File: "bot.example.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%+v", got.String()) != Default().String() {
		t.Errorf("the example is not the defaults:\n%s", got)
	}
}

// write puts text into a private settings file.
func write(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bot.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLaterSourceWins(t *testing.T) {
	file := write(t, "session:\n  ttl: 2h\n  idle_timeout: 90\n  max_messages: 50\nagent: {name: File}\nlog:\n")
	c, err := Load(Options{
		File:  file,
		Env:   []string{"BOT_SESSION_TTL=3h", "BOT_AGENT_NAME=Env", "BOT_LOG_LEVEL=", "PATH=/bin"},
		Flags: map[string]string{"agent.name": "Flag"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Session
	if s.TTL != 3*time.Hour || s.IdleTimeout != 90*time.Second || s.MaxMessages != 50 || s.HistoryMessages != 20 ||
		c.Agent.Name != "Flag" || c.Log.Level != "info" {
		t.Errorf("got %s", c)
	}
}

func TestLists(t *testing.T) {
	c, err := Load(Options{
		File: write(t, `access:
  owners: [telegram:42, "discord:1234"]
mcp:
  servers:
    - name: files
      command: [mcp-files, --root, .]
      env: [HOME, KEY=abc]
subagents:
  - name: librarian
    description: tidies notes
    prompt_file: lib.md
    tools: [vault_read]
`),
		Env: []string{"BOT_ACCESS_ALLOW=telegram:chat:-1001, discord:guild:99,terminal:alice"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c.Access.Owners, []string{"telegram:42", "discord:1234"}) ||
		!reflect.DeepEqual(c.Access.Allow, []string{"telegram:chat:-1001", "discord:guild:99", "terminal:alice"}) {
		t.Errorf("access %+v", c.Access)
	}
	if c.Subagents[0].MaxTurns != 10 ||
		len(c.MCP.Servers[0].Command) != 3 || c.MCP.Servers[0].Env[1] != "KEY=abc" {
		t.Errorf("lists %+v", c)
	}
	again, err := Load(Options{File: write(t, strings.ReplaceAll(c.String(), `"(hidden)"`, `"A"`))})
	if err != nil || again.Subagents[0].Description != "tidies notes" {
		t.Errorf("what String prints does not load: %v\n%s", err, c)
	}
}

// ids is a grammar of ids with the prefix p.
type ids struct{}

func (ids) Has(platform string) bool { return platform != "fax" }

func (ids) Person(id string) (problem, hint error) {
	if !strings.HasPrefix(id, "p:") {
		return text.Tell("no person"), text.Tell("such as p:1")
	}
	return nil, nil
}

func (ids) Entry(id string) (problem, hint error) {
	if !strings.HasPrefix(id, "p:") {
		return text.Tell("no entry"), text.Tell("such as p:1 or p:chat:1")
	}
	return nil, nil
}

func TestMistakesAreNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		yaml string
		env  string
		want []string
	}{
		"desk nowhere": {yaml: "handoff:\n  desk: fax:1\n", want: []string{`handoff.desk: is "fax:1"`}},
		"unknown key": {yaml: "data_dir: x\nsession:\n  idle_timout: 30s\n", want: []string{"bot.yaml:3:3",
			"session.idle_timout", "did you mean session.idle_timeout?", ">    3 |   idle_timout:"}},
		"unknown top key": {yaml: "sesion: {ttl: 2h}\n", want: []string{"bot.yaml:1:1", "sesion", "mean session?"}},
		"wrong section":   {yaml: "ttl: 2h\n", want: []string{"ttl: unknown", "mean session.ttl?"}},
		"unknown key in list": {yaml: "subagents:\n  - {name: a, description: b, prompt_fil: c}\n",
			want: []string{"subagents[0].prompt_fil", "mean subagents[0].prompt_file?"}},
		"unknown variable":   {env: "BOT_SESION_TTL=1h", want: []string{"environment", "BOT_SESION_TTL", "mean BOT_SESSION_TTL?"}},
		"file for no secret": {env: "BOT_AGENT_NAME_FILE=/x", want: []string{"BOT_AGENT_NAME_FILE", "unknown"}},
		"range in file":      {yaml: "session:\n  ttl: 59\n", want: []string{"bot.yaml:2:8", "session.ttl: is 59s; expected 60s to 24h"}},
		"range in environment": {env: "BOT_CONTEXT_TOKEN_BUDGET=3999", want: []string{"environment BOT_CONTEXT_TOKEN_BUDGET",
			"is 3999; expected 4000 to 128000"}},
		"temperature": {yaml: "model: {temperature: 2.1}", want: []string{"model.temperature: is 2.1; expected 0 to 2"}},
		"temperature below 0": {yaml: "model: {temperature: -1}",
			want: []string{`model.temperature: is "-1"; expected auto or a number from 0`}},
		"not a number": {yaml: "model: {temperature: .nan}", want: []string{"model.temperature"}},
		"word": {yaml: "access: {mode: opne}",
			want: []string{`access.mode: is "opne"; expected one of: pairing, allowlist, open`}},
		"duration": {yaml: "session: {ttl: soon}", want: []string{"session.ttl", "expected a duration"}},
		"idle not below ttl": {yaml: "session: {idle_timeout: 10m, ttl: 10m}", want: []string{"session.idle_timeout",
			"less than session.ttl"}},
		"not a person": {yaml: "access:\n  owners: [p:1, '@alice']", want: []string{"bot.yaml:2", "access.owners: no person",
			"such as p:1"}},
		"not an entry":        {env: "BOT_ACCESS_ALLOW=p:1,42", want: []string{"access.allow: no entry", "such as p:1 or p:chat:1"}},
		"not a section":       {yaml: "session: 5", want: []string{"session", "expected settings"}},
		"no name for the bot": {yaml: "agent: {name: ' '}", want: []string{"bot.yaml:1", "agent.name: is missing"}},
		"a name too long": {yaml: "agent: {name: " + strings.Repeat("ä", 101) + "}",
			want: []string{"bot.yaml:1", "agent.name: has 101 characters; expected 1 to 100"}},
		"not a value":   {yaml: "agent: {name: [a]}", want: []string{"agent.name", "single value"}},
		"alias":         {yaml: "data_dir: &a x\nagent: {name: *a}", want: []string{"agent.name", "single value"}},
		"duplicate":     {yaml: "data_dir: a\ndata_dir: b\n", want: []string{"bot.yaml:2"}},
		"syntax":        {yaml: "session:\n ttl: \"1h\n", want: []string{"bot.yaml:2"}},
		"two documents": {yaml: "data_dir: a\n---\ndata_dir: b\n", want: []string{"one document"}},
		"webhook": {yaml: "telegram: {mode: webhook}", want: []string{"telegram.webhook.url", "telegram.webhook.secret",
			"telegram.webhook.listen"}},
		"listen":                 {yaml: "http: {listen: '8080'}", want: []string{"http.listen", "127.0.0.1:8080"}},
		"server without address": {yaml: "mcp: {servers: [{name: a}]}", want: []string{"bot.yaml:1", "mcp.servers[0]", "command or url"}},
		"same name": {yaml: "subagents: [{name: a, description: x, prompt_file: p}, {name: a, description: y, prompt_file: p}]",
			want: []string{"subagents[1].name", "as subagents[0].name is"}},
		"tabs":                   {yaml: "session:\n\tttl: 1h\n", want: []string{"bot.yaml:2", "not with tabs"}},
		"text with a colon":      {yaml: "agent:\n  name: Pa: rley\n", want: []string{"bot.yaml:2", "quotation marks"}},
		"indented otherwise":     {yaml: "session:\n    ttl: 1h\n  max_messages: 10\n", want: []string{"bot.yaml:3", "indented alike"}},
		"a quotation never ends": {yaml: "agent: {name: \"Parley}\n", want: []string{"bot.yaml:1", "never closed"}},
		"deep":                   {yaml: strings.Repeat("[", 100000), want: []string{"nested"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(Options{File: write(t, tt.yaml), Env: []string{tt.env}, IDs: ids{}})
			var e *Error
			if !errors.As(err, &e) || e.ExitCode() != 2 {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in:\n%v", want, err)
				}
			}
			translatable(t, err)
		})
	}
}

// translatable checks that each mistake has translatable words.
func translatable(t *testing.T, err error) {
	t.Helper()
	several, _ := err.(interface{ Unwrap() []error })
	for _, one := range several.Unwrap() {
		var words *text.Error
		e := one.(*Error)
		if !errors.As(e.Problem, &words) || e.Hint != nil && !errors.As(e.Hint, &words) {
			t.Errorf("not translatable: %v", e)
		}
	}
}

func TestMistakesAreLimited(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	_, err := Load(Options{File: write(t, b.String())})
	if n := strings.Count(err.Error(), "unknown setting"); n != maxMistakes {
		t.Errorf("%d mistakes reported", n)
	}
}

func TestFileMayOnlyBeMissingByDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Load(Options{}); err != nil {
		t.Error(err)
	}
	if _, err := Load(Options{File: "bot.yaml"}); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("a named file that is missing: %v", err)
	}
}

func TestWellKnownNames(t *testing.T) {
	c, err := Load(Options{File: write(t, ""), Env: []string{"TELEGRAM_BOT_TOKEN=t1", "BOT_TELEGRAM_TOKEN=t2",
		"DISCORD_BOT_TOKEN=d", "OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://h/v1", "OPENAI_MODEL=m", "BOT_FAILPOINT=x"}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Telegram.Token != "t2" || c.Discord.Token != "d" || c.Model.APIKey != "k" || c.Model.BaseURL != "http://h/v1" || c.Model.Name != "m" {
		t.Errorf("got %#v", c)
	}
	for host, want := range map[string]string{
		"":                    "http://127.0.0.1:11434/v1",
		"0.0.0.0":             "http://127.0.0.1:11434/v1",
		"box:99":              "http://box:99/v1",
		"https://o.example/x": "https://o.example:11434/x/v1",
	} {
		c, err := Load(Options{File: write(t, ""), Env: []string{"OLLAMA_HOST=" + host}})
		if err != nil || c.OllamaURL != want {
			t.Errorf("OLLAMA_HOST=%s: %s %v", host, c.OllamaURL, err)
		}
	}
}

// No key goes to another provider: variables that other programs also use are not combined
// with what the file names.
func TestAddressAndKeyBelongTogether(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("fromfile\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const router, other = "https://openrouter.example/v1", "https://other.example/v1"
	for _, tt := range []struct {
		name  string
		file  string
		env   []string
		flags map[string]string
		want  [3]string // address, key, model
		warns string    // the names that are not used
	}{
		{"only the file", "model: {base_url: " + router + ", api_key: or, name: m}", nil, nil, [3]string{router, "or", "m"}, ""},
		{"a key in the environment", "model: {base_url: " + router + ", api_key: or, name: m}", []string{"OPENAI_API_KEY=oa"},
			nil, [3]string{router, "or", "m"}, "OPENAI_API_KEY"},
		{"a file without a key", "model: {base_url: " + router + "}", []string{"OPENAI_API_KEY=oa", "OPENAI_MODEL=gpt"},
			nil, [3]string{router, "", ""}, "OPENAI_API_KEY OPENAI_MODEL"},
		{"all three", "model: {base_url: " + router + ", api_key: or}", []string{"OPENAI_API_KEY=oa", "OPENAI_BASE_URL=" + other,
			"OPENAI_MODEL=gpt"}, nil, [3]string{router, "or", ""}, "OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL"},
		{"a key in a file of its own", "model: {base_url: " + router + "}", []string{"OPENAI_API_KEY_FILE=" + secret}, nil,
			[3]string{router, "", ""}, "OPENAI_API_KEY"},
		{"one that cannot be read", "model: {base_url: " + router + "}", []string{"OPENAI_API_KEY_FILE=" + secret + ".none"},
			nil, [3]string{router, "", ""}, "OPENAI_API_KEY"},
		{"our own name", "model: {base_url: " + router + ", api_key: or}", []string{"BOT_MODEL_API_KEY=mine", "OPENAI_API_KEY=oa"},
			nil, [3]string{router, "mine", ""}, "OPENAI_API_KEY"},
		{"a flag", "model: {base_url: " + router + ", api_key: or}", []string{"OPENAI_MODEL=gpt"},
			map[string]string{"model.name": "flagged"}, [3]string{router, "or", "flagged"}, "OPENAI_MODEL"},
		{"Ollama's address", "model: {base_url: " + router + ", api_key: or}", []string{"OLLAMA_HOST=box"}, nil, [3]string{router, "or", ""}, ""},
		{"an empty address", "model: {base_url: \"\"}", []string{"OPENAI_API_KEY=oa", "OPENAI_BASE_URL=" + other}, nil,
			[3]string{other, "oa", ""}, ""},
		{"no file", "", []string{"OPENAI_API_KEY=oa", "OPENAI_MODEL=gpt"}, nil, [3]string{"", "oa", "gpt"}, ""},
		{"a file about other things", "log: {level: warn}", []string{"OPENAI_API_KEY=oa", "OPENAI_BASE_URL=" + other}, nil,
			[3]string{other, "oa", ""}, ""},
		{"the file's key, another's address", "model: {api_key: oa}", []string{"OPENAI_BASE_URL=" + other, "OPENAI_MODEL=x"},
			nil, [3]string{"", "oa", ""}, "OPENAI_BASE_URL OPENAI_MODEL"},
		{"the file's key, a pair", "model: {api_key: oa}", []string{"OPENAI_BASE_URL=" + other, "OPENAI_API_KEY=ot"}, nil,
			[3]string{other, "ot", ""}, ""},
		{"the file's key, a newer one", "model: {api_key: oa}", []string{"OPENAI_API_KEY=new"}, nil, [3]string{"", "new", ""}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load(Options{File: write(t, tt.file), Env: tt.env, Flags: tt.flags})
			if err != nil {
				t.Fatal(err)
			}
			if got := [3]string{c.Model.BaseURL, string(c.Model.APIKey), c.Model.Name}; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			var warned []string
			for _, w := range c.Warnings {
				if name, _, ok := strings.Cut(w.Error(), " is set and not used"); ok {
					warned = append(warned, name)
				}
			}
			if got := strings.Join(warned, " "); got != tt.warns {
				t.Errorf("warned of %q, want %q", got, tt.warns)
			}
		})
	}
}

func TestSecretsFromFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Options{File: write(t, ""), Env: []string{"OPENAI_API_KEY_FILE=" + secret, "BOT_DISCORD_TOKEN_FILE=" + secret}})
	if err != nil || c.Model.APIKey != "s3cret" || c.Discord.Token != "s3cret" {
		t.Fatalf("%v %v", c, err)
	}
	for _, env := range [][]string{
		{"OPENAI_API_KEY_FILE=" + secret + ".none"},
		{"OPENAI_API_KEY_FILE=" + secret, "OPENAI_API_KEY=x"},
	} {
		if _, err := Load(Options{File: write(t, ""), Env: env}); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
			t.Errorf("%v: %v", env, err)
		}
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	const canary = "CANARY"
	file := write(t, "telegram: {token: CANARY}\nmodel:\n  base_url: https://u:CANARY@host/v1\nmcp: {servers: [{name: a, "+
		"url: 'http://h/?api_key=CANARY', env: [K=CANARY]}]}\n")
	c, err := Load(Options{File: file, Env: []string{"BOT_MODEL_API_KEY=CANARY"}})
	if err != nil {
		t.Fatal(err)
	}
	if list := c.Secrets(); len(list) != 5 || slices.ContainsFunc(list, func(s string) bool { return s != canary }) {
		t.Errorf("secrets are %q", list)
	}
	shown := fmt.Sprintf("%v %+v %s", c, c.Telegram, c)
	for _, s := range Settings() {
		text, _ := c.Get(s.Path)
		shown += text
	}
	if strings.Contains(shown, canary) {
		t.Errorf("shown: %s", shown)
	}
	for _, text := range []string{
		"telegram:\n  tokne: CANARY\n", "telegram:\n  token: CANARY\n  tokne: x\n", "telegram: {token: [CANARY]}\n",
		"telegram:\n  token: CANARY: x\n", "telegram:\n  token: \"CANARY\n", "telegram:\n token: CANARY\n  bad\n",
		"model: {base_url: 'ftp://u:CANARY@h'}",
		"# CANARY\nx: 1\n", "mcp:\n  servers:\n  - name: a\n    env:\n    - CANARY=\n    - \"K\tCANARY\n",
		"telegram: {\"CANARY\": 1, \"CANARY\": 2, token: CANARY}",
	} {
		_, err := Load(Options{File: write(t, text)})
		if err == nil {
			continue
		}
		shown := strings.ReplaceAll(err.Error(), "telegram.CANARY", "")
		if strings.Contains(shown, canary) {
			t.Errorf("%q shows:\n%v", text, err)
		}
	}
}

func TestReadableFileWarns(t *testing.T) {
	file := write(t, "telegram: {token: x}\n")
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o640: 1, 0o604: 1} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if c, err := Load(Options{File: file}); err != nil || len(c.Warnings) != want {
			t.Errorf("%o: %q %v", mode, c.Warnings, err)
		}
	}
}

func TestSetAtRunTime(t *testing.T) {
	c := Default()
	if err := c.Set("session.ttl", "59"); err != nil || c.Validate(nil) == nil {
		t.Errorf("59 seconds: %v, then valid", err)
	}
	if err := c.Set("session.tll", "1h"); err == nil || !strings.Contains(err.Error(), "session.ttl") {
		t.Errorf("got %v", err)
	}
	if c, err := Load(Options{File: write(t, "http: {listen: ':8080'}")}); err != nil || c.HTTP.Listen != "127.0.0.1:8080" {
		t.Errorf("%q %v", c.HTTP.Listen, err)
	}
}

// TestChanging: every change tag is valid, and each way has settings.
func TestChanging(t *testing.T) {
	for _, s := range Settings() {
		if !slices.Contains([]string{"", ByChat, ByReload}, s.Change) {
			t.Errorf("%s changes by %q", s.Path, s.Change)
		}
	}
	chat, reload := Changing(ByChat), Changing(ByReload)
	if !slices.Contains(chat, "session.ttl") || !slices.Contains(reload, "access.mode") || slices.Contains(chat, "access.mode") {
		t.Errorf("from the chat: %q; with a reload: %q", chat, reload)
	}
}

func TestTable(t *testing.T) {
	table := Table()
	if rows := strings.Count(table, "\n"); rows != len(Settings())+2 {
		t.Errorf("%d rows", rows)
	}
	if !strings.Contains(table, "| `session.idle_timeout` | `300s` | 30s to 1h | `BOT_SESSION_IDLE_TIMEOUT` |") {
		t.Error(table)
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{"", "session:\n  ttl: 2h\n", "a: &a [*a]", "? x\n: y", "sources:\n- - a", "{", "<<: 1",
		"x: !!int y", Example(), "- \n", "? - a\n"} {
		f.Add(text, "BOT_ACCESS_OWNERS=telegram:1")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, env string) {
		name := filepath.Join(dir, "bot.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Skip()
		}
		c, err := Load(Options{File: name, Env: []string{env}})
		if err == nil && c.Validate(nil) != nil {
			t.Error("loaded and not valid")
		}
		if err != nil && err.Error() == "" {
			t.Error("a mistake without a name")
		}
	})
}

// TestTemperature: zero is sent as zero, auto sends nothing, and each is shown as written.
func TestTemperature(t *testing.T) {
	for _, written := range []string{"0", "0.7", "auto"} {
		c := Default()
		if err := c.Set("model.temperature", written); err != nil {
			t.Fatal(err)
		}
		shown, _ := c.Get("model.temperature")
		if shown != written || (c.Model.Temperature.Sent() == nil) != (written == "auto") || c.Validate(ids{}) != nil {
			t.Errorf("%s: shown as %s, sends %v, %v", written, shown, c.Model.Temperature.Sent(), c.Validate(ids{}))
		}
	}
}

func TestDiff(t *testing.T) {
	a, b := Default(), Default()
	b.Log.Level, b.Model.APIKey, b.Access.Owners = "debug", "sk-new", []string{"telegram:1"}
	b.Subagents = []Subagent{{Name: "helper"}}
	if got := strings.Join(a.Diff(b), " "); got != "model.api_key access.owners subagents log.level" {
		t.Errorf("got %s", got)
	}
	if got := a.Diff(a); got != nil {
		t.Errorf("a differs from itself in %v", got)
	}
}

// TestCredentialsOfAService: a file from a service manager sets the secret it is named
// after. A blank or missing one sets nothing, and the environment wins.
func TestCredentialsOfAService(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"telegram.token": "1:abc\n", "discord.token": "\n", "model.api_key": "sk-file",
		"bot.yaml": "x", "agent.name": "Mallory"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(Options{File: write(t, ""), Env: []string{"CREDENTIALS_DIRECTORY=" + dir, "OPENAI_API_KEY=sk-env"}})
	if err != nil || c.Telegram.Token != "1:abc" || c.Discord.Token != "" || c.Model.APIKey != "sk-env" || c.Agent.Name != "Parley" {
		t.Errorf("%v: %q %q %q %q", err, string(c.Telegram.Token), string(c.Discord.Token), string(c.Model.APIKey), c.Agent.Name)
	}
}
