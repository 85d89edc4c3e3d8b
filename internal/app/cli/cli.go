// Package cli holds the shell commands other than starting the bot: each command is a
// struct with its flags and a Run. It starts nothing that outlives the command and has no
// rule of the assistant.
package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
	"parley/internal/app/whatif"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/notes/document/pdf"
	"parley/internal/text"
)

// Flags are common to all commands; each overrides a setting of the file and the
// environment.
type Flags struct {
	Config    string `help:"Settings file (default bot.yaml, which may be missing)." placeholder:"FILE"`
	Data      string `help:"Data folder." placeholder:"DIR"`
	LogLevel  string `help:"Lowest level written to stderr: debug, info, warn or error." placeholder:"LEVEL"`
	LogFormat string `help:"Format of log lines: text or json." placeholder:"FORMAT"`

	Veil *text.Blotter   `kong:"-"` // over stderr
	IDs  chat.Identities `kong:"-"` // of all platforms
}

// Bot gives commands what only the program can build.
type Bot struct {
	Version  string                                                     // of this program, as v1.2.3
	Tools    func(config.Config) (schemas map[string][]byte, err error) // built-in tools that the settings enable, by name
	Rehearse rehearse.Build
	WhatIf   whatif.Build
	// Start runs the bot until ctx ends; met is called with the first answered message.
	Start func(ctx context.Context, f *Flags, s *Streams, met Met) error
}

// Met is called after a message was answered: from whom, on which platform, and how long
// it took.
type Met func(who, platform string, took time.Duration)

// Streams are the process's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Watched  bool // Err is a terminal
}

// seen strips control sequences from what others wrote.
type seen struct{ io.Writer }

// Write implements io.Writer. Each call must contain a whole text.
func (s seen) Write(p []byte) (int, error) {
	clean, _ := text.Strip(string(p))
	_, err := io.WriteString(s.Writer, clean)
	return len(p), err
}

// Load reads the settings, flags included.
func (f *Flags) Load() (config.Config, error) {
	set := map[string]string{}
	for path, v := range map[string]string{"data_dir": f.Data, "log.level": f.LogLevel, "log.format": f.LogFormat} {
		if v != "" {
			set[path] = v
		}
	}
	c, err := config.Load(config.Options{File: f.Config, Env: os.Environ(), Flags: set, IDs: f.IDs})
	if err == nil {
		f.Veil.Knows(setup.NewRedactor(c, setup.ShortestLogged))
	}
	return c, err
}

// withStore opens the database of the settings; a bot may be running.
func withStore(ctx context.Context, f *Flags, do func(*memory.Store) error) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	return inStore(ctx, cfg, do)
}

// inStore is withStore for loaded settings.
func inStore(ctx context.Context, cfg config.Config, do func(*memory.Store) error) error {
	store, err := openStore(ctx, cfg, memory.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return do(store)
}

// openStore opens the database of the settings; a bot may be running.
func openStore(ctx context.Context, cfg config.Config, o memory.Options) (*memory.Store, error) {
	o.URL = string(cfg.Database.URL)
	return memory.Open(ctx, cfg.DataDir, o)
}

// stored reports whether there is a database already. For a server, opening it will tell.
func stored(cfg config.Config) bool {
	if cfg.Database.URL != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(cfg.DataDir, datadir.Name))
	return err == nil
}

// PDFText prints the text of a PDF, in the process that pdf.Read starts.
type PDFText struct{}

func (PDFText) Run(s *Streams) error { return pdf.Extract(s.In, s.Out) }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && terminal.Is(f)
}
