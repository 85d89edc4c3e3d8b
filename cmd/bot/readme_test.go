package main

import (
	"os"
	"strings"
	"testing"

	"parley/config"
)

func TestReadmeHasTheSettings(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), strings.TrimSpace(config.Table())) {
		t.Error("README.md: the settings table is not config.Table()")
	}
}
