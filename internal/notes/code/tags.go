package code

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the ctags process.
const (
	patience  = 5 * time.Second  // for one file
	maxAnswer = 256 << 10        // bytes of one line
	maxFiles  = 2000             // before it is restarted
	resting   = 10 * time.Second // idle time after which it ends
	maxMemory = 1 << 20          // kilobytes
	maxCPU    = 300              // seconds
)

// Tags runs universal-ctags as a process. The process gets texts but no files and no
// environment, has bounds, and uses its sandbox if it has one. Tags is safe for
// concurrent use; callers take turns. Rest ends the process, and so do ten idle seconds;
// the next List starts it again.
type Tags struct {
	program string
	args    []string
	about   string

	mu    sync.Mutex
	child *child
	idle  *time.Timer // ends the process
}

// programs are the names under which universal-ctags is installed.
var programs = []string{"ctags-universal", "universal-ctags", "uctags", "ctags"}

// FindTags finds universal-ctags: program, or an installed one if program is "". It
// returns nil if none works.
func FindTags(ctx context.Context, program string) *Tags {
	names := programs
	if program != "" {
		names = []string{program}
	}
	for _, name := range names {
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		for _, mode := range []string{"--_interactive=sandbox", "--_interactive"} {
			t := &Tags{program: file, args: []string{"--options=NONE", mode, "--fields=+nKs"}}
			all, err := t.List(ctx, "try.py", "def tried():\n  pass\n")
			t.Rest()
			if err == nil && len(all) == 1 && all[0].Name == "tried" {
				return t
			}
		}
	}
	return nil
}

// About names the program and its version.
func (t *Tags) About() string { return t.about }

// child is the running process.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	files int
}

// start starts the process through a shell, which sets the bounds if it can.
func (t *Tags) start() (*child, error) {
	bounds := fmt.Sprintf(`ulimit -v %d 2>/dev/null; ulimit -t %d 2>/dev/null; exec "$0" "$@"`, maxMemory, maxCPU)
	cmd := exec.Command("/bin/sh", append([]string{"-c", bounds, t.program}, t.args...)...)
	cmd.Env = []string{}
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{cmd: cmd, in: in, out: bufio.NewReaderSize(out, maxAnswer)}, nil
}

// Rest ends the process, if there is one, and waits for it.
func (t *Tags) Rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest()
}

func (t *Tags) rest() {
	if t.idle != nil {
		t.idle.Stop()
	}
	if c := t.child; c != nil {
		t.child = nil
		_ = c.in.Close()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
}

// List lists the symbols of a file in the order of its lines; its name tells the
// language. After an error the next file gets a new process.
func (t *Tags) List(ctx context.Context, name, data string) (all []Symbol, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.child == nil {
		if t.child, err = t.start(); err != nil {
			return nil, fmt.Errorf("start ctags: %w", err)
		}
		t.idle = time.AfterFunc(resting, t.Rest)
	}
	t.idle.Reset(resting)
	c := t.child
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	all, err = t.ask(c, known(name), data)
	stop()
	if c.files++; err != nil || ctx.Err() != nil || c.files >= maxFiles {
		t.rest()
	}
	if err != nil {
		return nil, fmt.Errorf("ctags: %s: %w", name, errors.Join(err, ctx.Err()))
	}
	return all, nil
}

// known returns a file name whose ending older versions of ctags know, too.
func known(name string) string {
	base := path.Base(name)
	switch ending := path.Ext(base); strings.ToLower(ending) {
	case ".tsx":
		return strings.TrimSuffix(base, ending) + ".ts"
	case ".jsx":
		return strings.TrimSuffix(base, ending) + ".js"
	}
	return base
}

// answer is a line of the program.
type answer struct {
	Type      string `json:"_type"`
	Name      string `json:"name"`
	Version   string `json:"version"`
	Line      int    `json:"line"`
	Kind      string `json:"kind"`
	Scope     string `json:"scope"`
	ScopeKind string `json:"scopeKind"`
}

// ask sends a file and reads the answers.
func (t *Tags) ask(c *child, name, data string) (all []Symbol, err error) {
	order, err := json.Marshal(map[string]any{"command": "generate-tags", "filename": name, "size": len(data)})
	if err != nil {
		return nil, err
	}
	sent := make(chan error, 1)
	go func() { // it may answer before it has read all
		_, err := io.WriteString(c.in, string(order)+"\n"+data)
		sent <- err
	}()
	var refused error
	for {
		line, err := c.out.ReadSlice('\n')
		if err != nil {
			_ = c.cmd.Process.Kill() // the other end of what is sent
			<-sent
			return nil, err
		}
		var a answer
		if json.Unmarshal(line, &a) != nil {
			continue // not UTF-8: a name of no use
		}
		switch a.Type {
		case "program":
			t.about = a.Name + " " + a.Version
		case "error":
			refused = errors.New("it cannot read this")
		case "completed":
			slices.SortStableFunc(all, byLine)
			return all, errors.Join(refused, <-sent)
		case "tag":
			if s, ok := a.symbol(); ok && len(all) < maxSymbols {
				all = append(all, s)
			}
		}
	}
}

// kinds are the kinds of universal-ctags that cut a file into parts. Others are minor,
// and unwanted ones are dropped.
var kinds = set(`function func method class struct interface trait enum union typedef type talias alias macro module namespace
	generator constructor methodSpec annotation prototype procedure subroutine singletonMethod getter setter table view trigger message service rpc
	signature functor record protocol object`)

// unwanted are kinds that define nothing, or nothing by a name that people know.
var unwanted = set(`package packageName include heading1 heading2 heading3 label implementation unknown import using local parameter anonMember id anchor
	title stylesheet script selector instance heredoc`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// symbol returns the symbol of a tag; ok is false for one that nobody looks for.
func (a answer) symbol() (s Symbol, ok bool) {
	if a.Name == "" || a.Line < 1 || unwanted[a.Kind] || strings.HasPrefix(a.Name, "__anon") || strings.HasPrefix(a.Name, "anonymous") {
		return s, false
	}
	owner := a.Scope
	if i := strings.LastIndexAny(owner, ".:"); i >= 0 {
		owner = owner[i+1:]
	}
	if strings.HasPrefix(owner, "__anon") || a.ScopeKind == "package" || a.ScopeKind == "packageName" {
		owner = ""
	}
	if word, sign, ok := strings.Cut(a.Name, "operator "); ok && word == "" && strings.ContainsAny(sign, "=<>+-*/%&|^!~[(,") {
		a.Name = "operator" + strings.ReplaceAll(sign, " ", "")
	}
	return Symbol{Name: a.Name, Owner: owner, Line: a.Line, Minor: !kinds[a.Kind]}, true
}

func byLine(a, b Symbol) int { return cmp.Compare(a.Line, b.Line) }
