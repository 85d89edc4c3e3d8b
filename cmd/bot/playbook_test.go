package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPlaybookCheck(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"playbook", "check", "../../config/playbook"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Errorf("the example: exit %d, %s%s", code, &out, &errs)
	}
	if code := run([]string{"playbook", "check", t.TempDir() + "/none"}, strings.NewReader(""), &out, &errs); code != exitFailure {
		t.Errorf("no folder: exit %d, %s", code, &errs)
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--daat", "x"}, exitUsage, `did you mean "--data"`},
		{[]string{"version"}, 0, "parley"},
		{[]string{"help"}, 0, "Usage"},
		{[]string{"chat", "--config", "no-such.yaml"}, exitUsage, "no-such.yaml"},
	} {
		var out bytes.Buffer
		if code := run(tt.args, strings.NewReader(""), &out, &out); code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%v: exit %d, %s", tt.args, code, &out)
		}
	}
}
