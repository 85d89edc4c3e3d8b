package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/text/waittest"
)

// nobody is the user of the service in these tests.
const nobody = 65534

// unit returns the [Service] section of deploy/parley.service: name -> values.
func unit(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("../../deploy/parley.service")
	must(t, err)
	_, section, ok := strings.Cut(string(b), "\n[Service]\n")
	if !ok {
		t.Fatal("the unit has no [Service]")
	}
	section, _, _ = strings.Cut(section, "\n[Install]")
	all := map[string][]string{}
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			all[name] = append(all[name], value)
		}
	}
	return all
}

// machine stands for a machine with a service manager: root is its /.
type machine struct {
	root string
	unit map[string][]string
}

// newHost installs the program, as docs/operations.md says.
func newHost(t *testing.T) machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may start a service as another user")
	}
	h := machine{root: t.TempDir(), unit: unit(t)}
	for _, dir := range []string{filepath.Dir(h.root), h.root} {
		must(t, os.Chmod(dir, 0o755))
	}
	program, err := os.ReadFile(os.Args[0])
	must(t, err)
	h.install(t, "/usr/local/bin/bot", string(program), 0o755)
	for _, dir := range []string{"/var/lib/parley", "/run/credentials"} {
		must(t, os.MkdirAll(h.root+dir, 0o700))
		must(t, os.Chown(h.root+dir, nobody, nobody))
	}
	for _, dir := range []string{"/var", "/var/lib", "/run"} {
		must(t, os.Chmod(h.root+dir, 0o755))
	}
	return h
}

// install is install -D.
func (h machine) install(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(h.root+name), 0o755))
	must(t, os.WriteFile(h.root+name, []byte(text), mode))
}

// credentials does what LoadCredential= and SetCredential= say.
func (h machine) credentials(t *testing.T) {
	t.Helper()
	defaults := map[string]string{}
	for _, line := range h.unit["SetCredential"] {
		id, text, _ := strings.Cut(line, ":")
		defaults[id] = strings.ReplaceAll(text, `\n`, "\n")
	}
	for _, line := range h.unit["LoadCredential"] {
		id, path, _ := strings.Cut(line, ":")
		b, err := os.ReadFile(h.root + path)
		text, fallback := defaults[id]
		if err == nil {
			text = string(b)
		} else if !fallback {
			t.Fatalf("%s is mandatory: the service does not start without it", path)
		}
		name := h.root + "/run/credentials/" + id
		must(t, os.WriteFile(name, []byte(text), 0o400))
		must(t, os.Chown(name, nobody, nobody))
	}
}

// start does what ExecStart= says, as somebody who is not root.
func (h machine) start(t *testing.T) (*exec.Cmd, *safeBuffer) {
	t.Helper()
	h.credentials(t)
	args := strings.Fields(h.unit["ExecStart"][0])
	for i, arg := range args {
		arg = strings.ReplaceAll(arg, "${CREDENTIALS_DIRECTORY}", "/run/credentials")
		if strings.Contains(arg, "$") || strings.Contains(arg, "%") {
			t.Fatalf("%s is not understood", arg)
		}
		if strings.HasPrefix(arg, "/") {
			arg = h.root + arg
		}
		args[i] = arg
	}
	log := &safeBuffer{}
	var cmd *exec.Cmd
	var err error
	// While another test forks, its child holds the file just written open.
	waittest.Until(t, "the program can be run", func() bool {
		cmd = exec.Command(args[0], args[1:]...)
		cmd.Dir = h.root + h.unit["WorkingDirectory"][0]
		cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=/", childEnv + "=1", "CREDENTIALS_DIRECTORY=" + h.root + "/run/credentials"},
			h.unit["Environment"]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Stderr = log
		if testing.Verbose() {
			cmd.Stderr = io.MultiWriter(log, os.Stderr)
		}
		err = cmd.Start()
		return !errors.Is(err, syscall.ETXTBSY)
	})
	must(t, err)
	t.Cleanup(func() { kill(cmd) })
	return cmd, log
}

// TestServiceStarts: the files of deploy/, installed as docs/operations.md says, serve
// Telegram, Discord or both, with a model's key and without one, as a user who
// can read nothing of root's.
func TestServiceStarts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ telegram, discord, key bool }{
		{true, false, false}, {true, false, true}, {false, true, false}, {false, true, true}, {true, true, false}, {true, true, true},
	} {
		t.Run(fmt.Sprintf("telegram=%t,discord=%t,key=%t", tt.telegram, tt.discord, tt.key), func(t *testing.T) {
			h := newHost(t)
			w := newWorld(t)
			h.install(t, "/etc/parley/bot.yaml",
				fmt.Sprintf("model: {base_url: %q, name: test}\naccess: {mode: open}\ntelegram: {api_url: %q}\ndiscord: {api_url: %q}\n",
					w.llm.URL(), w.tg.URL(), w.dc.URL()), 0o600)
			if tt.telegram {
				h.install(t, "/etc/parley/telegram.token", w.tg.Token()+"\n", 0o600)
			}
			if tt.discord {
				h.install(t, "/etc/parley/discord.token", discordtest.Token, 0o600)
			}
			if tt.key {
				w.llm.RequireKey("sk-service")
				h.install(t, "/etc/parley/model.key", "sk-service\n", 0o600)
			}
			cmd, log := h.start(t)
			if tt.telegram {
				if got := w.saying(t, 7, 7, "hi from telegram"); got != "hi from telegram" {
					t.Errorf("got %q", got)
				}
			}
			if tt.discord {
				if !w.dc.Wait(time.Minute, func() bool { return w.dc.Connected() > 0 }) {
					t.Fatalf("no gateway:\n%s", log)
				}
				w.dc.Message("", "10", "42", "hi from discord")
				if got := w.discordSent(t, 1)[0]; got.Content != "hi from discord" {
					t.Errorf("got %+v", got)
				}
			}
			end(t, cmd)
			if strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), "chmod") {
				t.Errorf("complains of how it was installed:\n%s", log)
			}
			st, err := os.Stat(h.root + "/var/lib/parley/bot.db")
			if err != nil || st.Sys().(*syscall.Stat_t).Uid != nobody || st.Mode().Perm() != 0o600 {
				t.Errorf("the database: %v, %v", st, err)
			}
		})
	}
}

// TestServiceWithoutAToken says what is missing, and where it belongs; it is
// not started over and over.
func TestServiceWithoutAToken(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.unit["Environment"] = append(h.unit["Environment"], "NOTIFY_SOCKET=/nowhere")
	cmd, log := h.start(t)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); fmt.Sprint(code) != h.unit["RestartPreventExitStatus"][0] ||
		!strings.Contains(log.String(), "/etc/parley/telegram.token") {
		t.Errorf("exit %d:\n%s", code, log)
	}
}

// TestUnitIsUnderstood by the service manager itself, with the drop-in for tool
// servers and without it.
func TestUnitIsUnderstood(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	b, err := os.ReadFile("../../deploy/parley.service")
	must(t, err)
	drop, err := os.ReadFile("../../deploy/parley-tools.conf")
	must(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "parley.service")
	text := strings.Replace(string(b), "/usr/local/bin/bot", "/bin/true", 1)
	must(t, os.WriteFile(file, []byte(text), 0o644))
	for _, with := range []bool{false, true} {
		if with {
			must(t, os.MkdirAll(file+".d", 0o755))
			must(t, os.WriteFile(filepath.Join(file+".d", "tools.conf"), drop, 0o644))
		}
		out, err := exec.Command("systemd-analyze", "verify", "--man=no", file).CombinedOutput()
		if err != nil || strings.Contains(string(out), dir) || strings.Contains(string(out), "parley") {
			t.Errorf("drop-in %t: %v\n%s", with, err, out)
		}
	}
	if !strings.Contains(string(drop), "\nMemoryDenyWriteExecute=no\n") {
		t.Error("the drop-in does not let tool servers compile")
	}
}
