package config_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/config"
)

func deployed(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func written(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHomeAssistantOptions: the file that Home Assistant makes of the add-on's options is one
// of settings, empty and filled, and each option has its form.
func TestHomeAssistantOptions(t *testing.T) {
	var addon struct {
		Options map[string]map[string]any
		Schema  map[string]map[string]any
		Arch    []string
	}
	if err := yaml.Unmarshal(deployed(t, "homeassistant/parley/config.yaml"), &addon); err != nil {
		t.Fatal(err)
	}
	load := func() (config.Config, error) {
		b, err := json.Marshal(addon.Options)
		if err != nil {
			t.Fatal(err)
		}
		return config.Load(config.Options{File: written(t, "options.json", b)})
	}
	if _, err := load(); err != nil {
		t.Errorf("as it is installed: %v", err)
	}
	for section, options := range addon.Options {
		for name := range options {
			if addon.Schema[section][name] == nil {
				t.Errorf("%s.%s has no form", section, name)
			}
		}
	}
	addon.Options["telegram"]["token"] = "123456:abcdefghijklmnopqrstuvwxyz0123456789"
	addon.Options["model"]["name"] = "builtin"
	if cfg, err := load(); err != nil || cfg.Telegram.Token == "" || cfg.Model.Name != "builtin" {
		t.Errorf("filled in: %v", err)
	}
	image, start := string(deployed(t, "homeassistant/parley/Dockerfile")), string(deployed(t, "homeassistant/parley/run.sh"))
	if !strings.Contains(image, "COPY run.sh /run.sh") || !strings.Contains(start, "/data/options.json") {
		t.Error("nothing reads the options")
	}
	build := string(deployed(t, "release/build.sh"))
	for _, arch := range addon.Arch {
		if arch == "aarch64" { // as Home Assistant says, and its Dockerfile translates
			arch = "arm64"
		}
		if !strings.Contains(build, "linux_"+arch+")") {
			t.Errorf("no release is for %s", arch)
		}
	}
}

// TestComposedWithCaddy: what the compose file with Caddy sets are settings, and the address
// that it believes is Caddy's.
func TestComposedWithCaddy(t *testing.T) {
	file := string(deployed(t, "compose.caddy.yaml"))
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^      - (BOT_\S+=.*)$`).FindAllStringSubmatch(file, -1) {
		env = append(env, regexp.MustCompile(`\$\{PARLEY_HOST[^}]*\}`).ReplaceAllString(m[1], "home.example"))
	}
	cfg, err := config.Load(config.Options{File: written(t, "bot.yaml", nil), Env: env})
	if err != nil || len(env) != 3 || cfg.Page.URL != "https://home.example/" || len(cfg.Page.Networks()) != 1 {
		t.Fatalf("%q: %v", env, err)
	}
	if !strings.Contains(file, "ipv4_address: "+cfg.Page.Proxies[0]+"\n") {
		t.Errorf("%s is not Caddy's address", cfg.Page.Proxies[0])
	}
}

// TestChart: Helm accepts the chart, and its settings are the program's. Skipped without Helm.
func TestChart(t *testing.T) {
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not installed")
	}
	for name, args := range map[string][]string{
		"alone":    nil,
		"a page":   {"--set", "page.url=https://parley.example/x/", "--set", "page.proxies={10.0.0.0/8,fd00::/8}", "--set", "page.tlsSecret=tls"},
		"settings": {"--set", "settings.log.level=debug", "--set", "settings.access.mode=open"},
		"several":  {"--set", "postgres=true", "--set", "replicas=3"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(args, "--set", "image.repository=registry.example/parley")
			lint := append([]string{"lint", "--strict", "../deploy/helm/parley"}, args...)
			if out, err := exec.Command(helm, lint...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := exec.Command(helm, append([]string{"template", "mine", "../deploy/helm/parley"}, args...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, part := range strings.Split(string(out), "\n---\n") {
				var made struct {
					Kind string
					Data map[string]string
				}
				if err := yaml.Unmarshal([]byte(part), &made); err != nil {
					t.Fatalf("%v\n%s", err, part)
				}
				if made.Kind == "ConfigMap" {
					env := []string{"BOT_HTTP_LISTEN=0.0.0.0:9090"}
					for _, m := range regexp.MustCompile(`\{name: (BOT_PAGE\w+), value: "(.*)"\}`).FindAllStringSubmatch(string(out), -1) {
						env = append(env, m[1]+"="+m[2])
					}
					if _, err := config.Load(config.Options{File: written(t, "bot.yaml", []byte(made.Data["bot.yaml"])), Env: env}); err != nil {
						t.Errorf("its settings: %v", err)
					}
				}
				kinds = append(kinds, made.Kind)
			}
			want := map[string]int{"alone": 3, "a page": 5, "settings": 3, "several": 2}[name]
			if len(kinds) != want {
				t.Errorf("it makes %q", kinds)
			}
		})
	}
	out, err := exec.Command(helm, "template", "../deploy/helm/parley", "--set", "image.repository=x", "--set", "replicas=2").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "postgres: true") {
		t.Errorf("two processes on one file: %s", out)
	}
}
