package inbound_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"parley/internal/text/inbound"
)

func TestBearer(t *testing.T) {
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"Bearer"}, ""},
		{[]string{"Bearer "}, ""},
		{[]string{"Bearer abc"}, "abc"},
		{[]string{"bearer abc"}, "abc"},
		{[]string{"BEARER   abc "}, "abc"},
		{[]string{"Bearerabc"}, ""},
		{[]string{"Basic abc"}, ""},
		{[]string{"Token Bearer abc"}, ""},
		{[]string{"Bearer abc", "Bearer abc"}, ""},
		{[]string{"Basic abc", "Bearer abc"}, ""},
		{[]string{"Bearer " + strings.Repeat("a", 1024)}, strings.Repeat("a", 1024)},
		{[]string{"Bearer " + strings.Repeat("a", 1025)}, ""},
	} {
		h := http.Header{}
		for _, v := range c.headers {
			h.Add("Authorization", v)
		}
		if got := inbound.Bearer(h); got != c.want {
			t.Errorf("%.60q brings %.20q", c.headers, got)
		}
	}
}

func TestProves(t *testing.T) {
	for _, c := range []struct {
		given, known string
		want         bool
	}{
		{"secret", "secret", true}, {"secret", "secrex", false}, {"secre", "secret", false}, {"Secret", "secret", false},
		{"", "secret", false}, {"secret", "", false}, {"", "", false},
	} {
		if inbound.Proves(c.given, c.known) != c.want {
			t.Errorf("%q proves %q: %v", c.given, c.known, !c.want)
		}
	}
}

func TestBody(t *testing.T) {
	const most = 1 << 20
	for _, c := range []struct {
		name   string
		body   io.Reader
		status int
	}{
		{"none", http.NoBody, 0},
		{"the longest", strings.NewReader(strings.Repeat("a", most)), 0},
		{"one byte more", strings.NewReader(strings.Repeat("a", most+1)), http.StatusRequestEntityTooLarge},
		{"broken off", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), http.StatusRequestTimeout},
	} {
		raw, err := inbound.Body(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", c.body), most)
		var no *inbound.BodyError
		switch errors.As(err, &no); {
		case c.status == 0 && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.status != 0 && (no == nil || no.Status != c.status || raw != nil):
			t.Errorf("%s: %v with %d bytes", c.name, err, len(raw))
		}
	}
}
