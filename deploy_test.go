package parley_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	stage    = regexp.MustCompile(`(?m)^FROM \S+ AS (\w+)$`)
	target   = regexp.MustCompile(`target: \$\{\w+:-(\w+)\}`)
	passed   = regexp.MustCompile(`(?m)^      - ([A-Z]+_[A-Z_]+)$`)
	mounted  = regexp.MustCompile(`(?m)^      - (\w+):(/\S+)$`)
	promised = regexp.MustCompile("`(parley_[A-Za-z_.]+)`")
)

// TestDeployAgrees: what the recipe of the image, the compose file, the packages
// and the papers say of each other is true.
func TestDeployAgrees(t *testing.T) {
	image, compose := string(read(t, "Dockerfile")), string(read(t, "deploy/compose.yaml"))
	stages := map[string]bool{}
	for _, m := range stage.FindAllStringSubmatch(image, -1) {
		stages[m[1]] = true
	}
	if m := target.FindStringSubmatch(compose); m == nil || !stages[m[1]] || !stages["tools"] || !strings.HasSuffix(image, "\nFROM bot\n") {
		t.Errorf("the image has the stages %v; the compose file wants %v", stages, m)
	}
	if !strings.Contains(image, `CMD ["bot", "health"]`) || !strings.Contains(image, "BOT_HTTP_LISTEN=127.0.0.1:") {
		t.Error("the image's health check asks nobody")
	}
	names := passed.FindAllStringSubmatch(compose, -1)
	if len(names) < 4 {
		t.Errorf("the compose file passes on %v", names)
	}
	for _, m := range names {
		known := `env:"` + m[1] + `"`
		if path, own := strings.CutPrefix(m[1], "BOT_ACCESS_"); own {
			known = `yaml:"` + strings.ToLower(path) + `"`
		}
		if !strings.Contains(string(read(t, "config/config.go")), known) {
			t.Errorf("the compose file passes on %s, which is no setting", m[1])
		}
	}
	volumes := mounted.FindAllStringSubmatch(compose, -1)
	if len(volumes) != 2 {
		t.Errorf("the compose file mounts %v", volumes)
	}
	for _, m := range volumes {
		if !regexp.MustCompile(`install -d .*`+regexp.QuoteMeta(m[2])+`\b`).MatchString(image) || !strings.Contains(compose, "\n  "+m[1]+":\n") {
			t.Errorf("the volume %s at %s is not the bot's", m[1], m[2])
		}
	}
	unit, build := string(read(t, "deploy/parley.service")), string(read(t, "deploy/release/build.sh"))
	if !strings.Contains(unit, "ExecStart=/usr/local/bin/bot ") || strings.Count(unit, "/usr/local/") != 2 {
		t.Error("packages move what the unit says of /usr/local")
	}
	// A panic and the watchdog's SIGABRT end a Go program with 2, which is not started again.
	if strings.Contains(unit, "\nRestartPreventExitStatus=2\n") && !strings.Contains(unit, "\nEnvironment=GOTRACEBACK=crash\n") {
		t.Error("a bot that panics or hangs is not started again")
	}
	for _, m := range promised.FindAllStringSubmatch(string(read(t, "docs/install.md")), -1) {
		if end := m[1][strings.Index(m[1], "ARCH")+len("ARCH"):]; !strings.Contains(build, end) {
			t.Errorf("docs/install.md promises %s; nothing ends in %s", m[1], end)
		}
	}
}

// TestClusterFileAgrees: what deploy/cluster.yaml and the recipe of the image say of
// each other is true, and three processes wait for a server that can be reached.
func TestClusterFileAgrees(t *testing.T) {
	image, cluster := string(read(t, "Dockerfile")), string(read(t, "deploy/cluster.yaml"))
	user := regexp.MustCompile(`useradd .*--uid (\d+)`).FindStringSubmatch(image)
	folder := regexp.MustCompile(`(?m)^VOLUME (\S+)$`).FindStringSubmatch(image)
	if user == nil || folder == nil || !strings.Contains(cluster, "- "+folder[1]+":uid="+user[1]+",mode=0700\n") {
		t.Errorf("the data folder %v is not in memory, or not that of user %v", folder, user)
	}
	// The image of PostgreSQL makes an empty database with a server that listens on its
	// socket alone; asked there it is ready before anybody can reach it.
	asks := regexp.MustCompile(`test: .*pg_isready.*`).FindString(cluster)
	if !strings.Contains(asks, "127.0.0.1") || !strings.Contains(cluster, "condition: service_healthy") {
		t.Errorf("its server is healthy before it can be reached: %q", asks)
	}
	names := map[string]bool{}
	for _, m := range passed.FindAllStringSubmatch(cluster, -1) {
		names[m[1]] = true
	}
	for _, m := range passed.FindAllStringSubmatch(string(read(t, "deploy/compose.yaml")), -1) {
		if !names[m[1]] {
			t.Errorf("deploy/compose.yaml passes %s on, deploy/cluster.yaml does not", m[1])
		}
	}
	for _, limit := range []string{"stop_grace_period", "read_only", "init", "pids_limit", "mem_limit", "max-size", "no-new-privileges"} {
		if !strings.Contains(cluster, limit+":") {
			t.Errorf("it says nothing of %s", limit)
		}
	}
}

// TestImageDownloadsModulesWithTheirStubs: what go.mod replaces by a folder is there when the
// image downloads the others.
func TestImageDownloadsModulesWithTheirStubs(t *testing.T) {
	before, _, _ := strings.Cut(string(read(t, "Dockerfile")), "RUN go mod download")
	replaced := regexp.MustCompile(`(?m)^replace \S+ => \./(\S+)$`).FindAllStringSubmatch(string(read(t, "go.mod")), -1)
	if len(replaced) == 0 {
		t.Error("nothing is replaced")
	}
	for _, m := range replaced {
		if folder := path.Dir(m[1]); !strings.Contains(before, "COPY "+folder+" "+folder+"\n") {
			t.Errorf("%s comes too late", m[1])
		}
	}
}
