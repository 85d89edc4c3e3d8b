package app

import (
	"testing"

	"parley/config"
	"parley/internal/tools"
)

// TestSchemasOfAllTools reads all schemas, which otherwise are read at a tool's first
// call.
func TestSchemasOfAllTools(t *testing.T) {
	cfg := config.Default()
	cfg.Sources = []config.Source{{Name: "notes", Dir: t.TempDir()}}
	all, err := ToolSchemas(cfg)
	if err != nil || len(all) < 20 {
		t.Fatalf("%d tools: %v", len(all), err)
	}
	for name, schema := range all {
		if err := tools.CheckSchema(schema); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
