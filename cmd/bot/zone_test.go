package main

import (
	"context"
	"io"
	"parley/internal/app/cli"
	"strings"
	"testing"
)

// Who sits at this machine is where it is, until they say otherwise.
func TestTheTerminalIsWhereTheMachineIs(t *testing.T) {
	for zone, want := range map[string]string{"Asia/Tokyo": "Asia/Tokyo", ":Asia/Tokyo": "Asia/Tokyo", "": " UTC\n",
		"UTC": " UTC\n", "Nowhere/Land": " UTC\n"} {
		t.Setenv("TZ", zone)
		w := newWorld(t)
		w.env = []string{"BOT_DATA_DIR=" + w.dir, "BOT_MODEL_NAME=builtin"}
		var out strings.Builder
		if err := (chatCmd{}).talk(context.Background(), w.config(t), process(&cli.Streams{In: strings.NewReader("what time is it?\n"),
			Out: &out, Err: io.Discard})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "Nowhere") {
			t.Errorf("TZ=%s: %s", zone, &out)
		}
	}
}
