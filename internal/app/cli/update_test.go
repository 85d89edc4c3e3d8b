package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/config"
)

// TestUpdateOnlyTells: what a folder of releases has is compared with this program, in one
// request for one file, and every way in which it cannot be known is said.
func TestUpdateOnlyTells(t *testing.T) {
	sum := strings.Repeat("a", 64) + "  "
	var asked []string
	pages := map[string]string{
		"/one/SHA256SUMS": sum + "parley_v1.9.0_linux_amd64.tar.gz\n" + sum + "parley_v1.10.0_linux_arm64.tar.gz\n" + sum + "install.sh\n",
		"/not/SHA256SUMS": "<html>\n",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		page, ok := pages[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(page))
	}))
	defer server.Close()
	for _, c := range []struct {
		version, from, says string
		check, fails        bool
	}{
		{"v1.9.0", server.URL + "/one/", "v1.10.0 is there: this is v1.9.0. It was not downloaded", true, false},
		{"v1.10.0", server.URL + "/one", "has nothing newer", true, false},
		{"v1.10.0-2-gabcdef0", server.URL + "/one", "has nothing newer", true, false},
		{"v1.10.0-rc.2", server.URL + "/one", "v1.10.0 is there", true, false},
		{"dev", server.URL + "/one", "which is no release", true, false},
		{"v1.9.0", server.URL + "/two", "there is no SHA256SUMS", true, true},
		{"v1.9.0", server.URL + "/not", "names no release", true, true},
		{"v1.9.0", "http://127.0.0.1:1", "cannot be reached", true, true},
		{"v1.9.0", "ftp://example.org", "is no address of a folder", true, true},
		{"v1.9.0", "", "where are the releases", true, true},
		{"v1.9.0", server.URL + "/one", "bot update --check tells", false, true},
	} {
		asked = nil
		var out bytes.Buffer
		set := config.Config{Update: config.Update{From: c.from}}
		err := Update{Check: c.check}.Run(t.Context(), set, &Streams{Out: &out}, &Bot{Version: c.version})
		said := out.String()
		if err != nil {
			said += err.Error()
		}
		if !strings.Contains(said, c.says) || c.fails != (err != nil) {
			t.Errorf("%s at %s: %q, want %q", c.version, c.from, said, c.says)
		}
		if len(asked) > 1 || !c.check && len(asked) > 0 {
			t.Errorf("%s at %s asked for %q", c.version, c.from, asked)
		}
	}
	var out bytes.Buffer
	one := Update{Check: true, From: server.URL + "/one"}
	if err := one.Run(t.Context(), config.Config{}, &Streams{Out: &out}, &Bot{Version: "v1.0.0"}); err != nil {
		t.Errorf("--from: %v", err)
	}
}

// TestReleasesAreOrdered: as people count versions, and as git describes what follows a tag.
func TestReleasesAreOrdered(t *testing.T) {
	want := []string{"v0.0.0-20261127101010-abcdef012345", "v0.9.0", "v1.0.0-rc.2", "v1.0.0-rc.10", "v1.0.0-rc.10-3-gabc0", "v1.0.0",
		"v1.0.0-2-gabc0", "v1.0.0-11-gabc0-dirty", "v1.0.1", "v1.2.0", "v1.10.0", "v2.0.0"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		ra, okA := parseRelease(a)
		rb, okB := parseRelease(b)
		if !okA || !okB {
			t.Fatalf("%s or %s is no release", a, b)
		}
		return ra.compare(rb)
	})
	if !slices.Equal(got, want) {
		t.Errorf("ordered as %q", got)
	}
	if _, ok := parseRelease("dev"); ok {
		t.Error("dev is a release")
	}
}
