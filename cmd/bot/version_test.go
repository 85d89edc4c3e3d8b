package main

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionSaysWhatWasBuilt(t *testing.T) {
	said := map[string]string{}
	for _, args := range [][]string{{"--version"}, {"version"}, {"doctor", "--version"}} {
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("%v: exit code %d, %s", args, code, &errs)
		}
		said[out.String()] = args[0]
	}
	if len(said) != 1 {
		t.Errorf("one program tells several versions: %v", said)
	}
	noted := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{{Key: "vcs.revision",
		Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-11-22T10:00:00Z"}}}
	if got := built(noted); got != (build{"v1.2.3", "0123456789ab", "2026-11-22"}) {
		t.Errorf("what Go noted became %+v", got)
	}
	if got := built(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}).String(); !strings.HasPrefix(got, "parley dev (go") {
		t.Errorf("nothing noted became %q", got)
	}
	version, commit, date = "v9.9.9", "fedcba9876543210", "2030-01-02"
	defer func() { version, commit, date = "", "", "" }()
	if got := built(noted); got != (build{"v9.9.9", "fedcba987654", "2030-01-02"}) {
		t.Errorf("what the linker said became %+v", got)
	}
}
