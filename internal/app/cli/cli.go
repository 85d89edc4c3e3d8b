// Package cli holds the commands that operators type in a shell, apart from starting
// the bot: each command is a struct with its flags and a Run. It starts nothing that
// outlives the command and has no rule of the assistant.
package cli

import (
	"context"
	"io"
	"os"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/notes/document/pdf"
	"parley/internal/text"
)

// Flags are common to all commands; each is a setting that wins over the file
// and the environment.
type Flags struct {
	Config    string `help:"Settings file (default bot.yaml, which may be missing)." placeholder:"FILE"`
	Data      string `help:"Data folder." placeholder:"DIR"`
	LogLevel  string `help:"Lowest level written to stderr: debug, info, warn or error." placeholder:"LEVEL"`
	LogFormat string `help:"Format of log lines: text or json." placeholder:"FORMAT"`

	Veil *text.Blotter   `kong:"-"` // over stderr
	IDs  chat.Identities `kong:"-"` // of all platforms
}

// Bot holds what the commands need from parts of the bot that only the program can
// build.
type Bot struct {
	Tools    func(config.Config) (schemas map[string][]byte, err error) // that the settings make useful, by name
	Rehearse rehearse.Build
	// Start runs the bot until ctx ends; met is told of the first message that is
	// answered.
	Start func(ctx context.Context, f *Flags, s *Streams, met Met) error
}

// Met is told of a message that was answered: of whom, on which platform, and how
// long that took.
type Met func(who, platform string, took time.Duration)

// Streams are the process's, or a test's.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Watched  bool // Err is a terminal
}

// seen prints what others wrote without anything that could control the terminal.
type seen struct{ io.Writer }

// Write implements io.Writer, for texts that come whole.
func (s seen) Write(p []byte) (int, error) {
	clean, _ := text.Strip(string(p))
	_, err := io.WriteString(s.Writer, clean)
	return len(p), err
}

// Load reads the settings with the flags on top.
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

// withStore opens the data folder beside a bot that may be running.
func withStore(ctx context.Context, f *Flags, do func(*memory.Store) error) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	store, err := openStore(ctx, cfg, memory.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return do(store)
}

// PDFText prints the text of a PDF: the process that pdf.Read starts.
type PDFText struct{}

// Run returns the process in which a PDF is read.
func (PDFText) Run(s *Streams) error { return pdf.Extract(s.In, s.Out) }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && terminal.Is(f)
}
