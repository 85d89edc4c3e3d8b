package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal/lineedit"
	"parley/internal/agent"
	"parley/internal/app/platform"
	"parley/internal/app/setup"
	"parley/internal/command/health"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/notes/index"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/machine"
)

// Said in more than one place.
const (
	wordsOK          = "ok"
	wordsClockAgrees = "this machine's clock agrees"
	wordsClockOf     = "%s clock"
)

// Doctor checks everything that startup needs.
type Doctor struct{}

// errUnwell makes doctor exit with 1, after it printed why.
var errUnwell = text.Tell("something is wrong; see above")

// doctorWait bounds each check over the network.
const doctorWait = 10 * time.Second

// Run checks everything that startup needs, prints a line per check, and explains how to
// fix problems. It changes nothing.
func (Doctor) Run(ctx context.Context, f *Flags, s *Streams, b *Bot) error {
	cfg, err := f.Load()
	d := &doctor{s: s, p: Speaks(), now: time.Now}
	d.line("config", err, wordsOK)
	if err != nil {
		return errUnwell
	}
	d.hide = setup.NewRedactor(cfg, setup.ShortestLogged)
	for _, w := range append(datadir.Unmoved(cfg.DataDir, string(cfg.Database.URL)), cfg.Warnings...) {
		d.say("warn", "config", "%v", w)
	}
	_, err = agent.New(agent.Options{Persona: agent.Persona{PromptFile: cfg.Agent.PromptFile}})
	d.line("prompt", err, wordsOK)
	if dir := cfg.Playbook.Dir; dir != "" {
		_, err := playbook.Load(dir, playbook.Options{})
		d.line("playbook", err, "%s", dir)
	}
	d.agents(ctx, cfg)
	d.access(cfg)
	d.data(ctx, cfg)
	d.space(cfg.DataDir)
	d.folders(ctx, cfg)
	d.model(ctx, cfg)
	d.speech(ctx, cfg.Speech)
	d.platforms(ctx, cfg)
	d.servers(ctx, cfg)
	d.services(ctx, cfg)
	if _, err := b.Tools(cfg); err != nil || len(cfg.Subagents) > 0 {
		d.line("tools", err, wordsOK)
	}
	if d.unwell {
		return errUnwell
	}
	return nil
}

// nameColumns is the minimum width of names.
const nameColumns = 18

type doctor struct {
	s      *Streams
	p      catalog.Printer
	now    func() time.Time
	hide   text.Redactor
	wait   time.Duration // how long questions wait for their vector
	unwell bool
}

// say prints one check: its mark, its name, and its result.
func (d *doctor) say(mark string, name any, words string, args ...any) {
	called := d.p.Say("%v", phrase(name))
	for lineedit.Width(called) < nameColumns {
		called += " "
	}
	_, _ = fmt.Fprintf(d.s.Out, "%-4s %s %s\n", mark, called, d.hide.Hide(d.p.Say(words, args...)))
}

// phrase turns a name into an argument of Say.
func phrase(name any) any {
	if words, ok := name.(string); ok {
		return catalog.Words(words)
	}
	return name
}

// line prints what is wrong, or that all is fine.
func (d *doctor) line(name any, err error, fine string, args ...any) {
	if err != nil {
		d.unwell = true
		d.say("BAD", name, "%v", err)
		return
	}
	d.say("ok", name, fine, args...)
}

// folders checks the folders of notes and code.
func (d *doctor) folders(ctx context.Context, cfg config.Config) {
	found, err := index.Inspect(ctx, filepath.Join(cfg.DataDir, setup.NotesIndex))
	if err != nil {
		d.line("notes", err, "")
	}
	dirs, names := map[string]string{"vault.dir": cfg.Vault.Dir}, map[string]string{"vault.dir": setup.NotesSource}
	for _, s := range cfg.Sources {
		dirs["sources: "+s.Name], names["sources: "+s.Name] = s.Dir, s.Name
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		if dirs[name] == "" {
			continue
		}
		list, err := os.ReadDir(dirs[name])
		if err == nil && name == "vault.dir" {
			err = machine.Writable(dirs[name])
		}
		if known := found.Documents[names[name]]; err == nil && known > 0 && index.Gone(dirs[name]) {
			err = text.Tell("%s is empty, but %s of it are known: is its disk mounted? What is known stays until there is a file again", dirs[name], catalog.Count{N: known, Thing: "file"})
		}
		d.line(name, err, "%s, %d entries", dirs[name], len(list))
	}
	for _, e := range found.Skipped {
		if e.Skipped != "" {
			d.say("warn", "notes", "%s is not searched: it is %s", e.Path, catalog.Words(e.Skipped))
		} else {
			d.say("warn", "notes", "%s is searched in part: without %s", e.Path, catalog.Words(e.Partly))
		}
	}
}

// access warns about settings that let everybody in.
func (d *doctor) access(cfg config.Config) {
	switch l := cfg.Limits; {
	case cfg.Access.Mode == "open" && l.UserTokensPerDay == 0 && l.TokensPerDay == 0 && l.UserMoneyPerDay == 0 && l.MoneyPerDay == 0:
		d.say("warn", "access", "everybody may talk with the bot (access.mode open), as much as they like: set "+
			"limits.user_tokens_per_day, limits.tokens_per_day or limits.money_per_day, or access.mode pairing")
	case cfg.Access.Mode == "open":
		d.say("warn", "access", "everybody may talk with the bot (access.mode open): set access.mode pairing unless you mean it; "+
			"in groups, what servers' tools change needs the yes of an administrator or of yours, unless tools.policy says who; "+
			"in direct chats everybody agrees for themselves")
	default:
		d.say("ok", "access", "%s", cfg.Access.Mode)
	}
}

// space checks the disk of the data folder, or of its nearest existing parent.
func (d *doctor) space(dir string) {
	free, err := machine.FreeSpace(dir)
	for errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
		free, err = machine.FreeSpace(dir)
	}
	if err != nil {
		d.line("disk", text.Tell("free space of %s: %w", dir, err), "")
		return
	}
	switch {
	case free < health.NoSpace:
		d.unwell = true
		d.say("BAD", "disk", "%v", health.Full(free))
	case free < health.LittleSpace:
		d.say("warn", "disk", "%s: make room soon", health.Gigabytes(free))
	default:
		d.say("ok", "disk", "%v", health.Gigabytes(free))
	}
}

// data checks the folder and the database without creating either.
func (d *doctor) data(ctx context.Context, cfg config.Config) {
	st, err := os.Stat(cfg.DataDir)
	if os.IsNotExist(err) {
		d.say("ok", "data folder", "%s will be made at the first start", cfg.DataDir)
		return
	}
	if err == nil && !machine.Private(st) {
		err = text.Tell("%s can be read by other users of this machine (mode %04o): run chmod 700 %s", cfg.DataDir, st.Mode().Perm(), cfg.DataDir)
	}
	if err == nil && machine.Writable(cfg.DataDir) != nil {
		err = text.Tell("%s cannot be written by this user: run as its owner, or chown it", cfg.DataDir)
	}
	d.line("data folder", err, "%s", cfg.DataDir)
	if err != nil {
		return
	}
	if !stored(cfg) {
		d.line("database", datadir.Missing(cfg.DataDir), "will be made at the first start")
		return
	}
	store, err := openStore(ctx, cfg, memory.Options{})
	if err != nil {
		d.line("database", err, "")
		return
	}
	defer func() { _ = store.Close() }()
	v, err := store.File.SchemaVersion(ctx)
	d.line("schema", err, "version %d", v)
	d.line("database", store.File.Check(ctx), "%v", catalog.Words(cmp.Or(cfg.Database.Shown(), "sound")))
	d.server(ctx, string(cfg.Database.URL))
	d.sizes(ctx, store)
	d.waiting(ctx, store)
	d.imports(ctx, store)
	d.factsFile(ctx, cfg, store)
}

// server checks the database's server, if there is one.
func (d *doctor) server(ctx context.Context, url string) {
	if url == "" {
		return
	}
	is, err := datadir.AskServer(ctx, url)
	if err == nil {
		err = skewed(d.now(), is.Clock)
	}
	d.line(catalog.Fill(wordsClockOf, "PostgreSQL"), err, wordsClockAgrees)
	if is.Refuses != nil {
		d.line("database", is.Refuses, "")
	}
	for _, name := range is.Off {
		d.say("warn", "database", "%s is off on the server: when its machine fails, what it acknowledged may be lost, or the database damaged", name)
	}
}

// waiting reports dead letters and answers that cannot be delivered.
func (d *doctor) waiting(ctx context.Context, store *memory.Store) {
	if n, err := store.Letters.Count(ctx); err == nil && n > 0 {
		d.say("warn", "dead letters", "%v", health.DeadLetters(n))
	}
	stuck, err := store.Undelivered(ctx, d.now().Add(-health.Patience))
	if err != nil {
		d.line("delivery", err, "")
		return
	}
	for _, s := range stuck {
		d.unwell = true
		d.say("BAD", catalog.Fill("%s delivery", s.Platform), "%v", health.Undelivered(s.Conversations, d.now().Sub(s.Since),
			catalog.Words("see the log for the reason")))
	}
	if len(stuck) == 0 {
		d.say("ok", "delivery", "nothing has waited for long")
	}
}

// imports warns of conversations that were brought in by half.
func (d *doctor) imports(ctx context.Context, store *memory.Store) {
	list, err := store.CutShort(ctx)
	if err != nil {
		d.line("import", err, "")
	}
	for _, c := range list {
		if d.now().Sub(c.At) < importPauses {
			d.say("ok", "import", "%d of %d messages are stored, and more come", c.Stored, c.Total)
			continue
		}
		d.say("warn", "import", "the import of %s ended after %d of %d messages, and the rest is missing: run bot sessions import with the same "+
			"file again", c.Began.Format(time.DateOnly), c.Stored, c.Total)
	}
}

// importPauses is longer than an import that goes on stores nothing.
const importPauses = time.Minute

// shownTables is the number of largest tables shown.
const shownTables = 4

// sizes shows the largest tables of the database.
func (d *doctor) sizes(ctx context.Context, store *memory.Store) {
	list, err := store.File.Sizes(ctx)
	var words []string
	for _, t := range list[:min(len(list), shownTables)] {
		words = append(words, d.p.Say("%s %s MB (%s)", t.Table, d.p.Figure(fmt.Sprintf("%.1f", float64(t.Bytes)/(1<<20))),
			catalog.Count{N: int(t.Rows), Thing: "row"}))
	}
	d.line("largest tables", err, "%s", strings.Join(words, ", "))
}

func (d *doctor) platforms(ctx context.Context, cfg config.Config) {
	if !platform.AnyOn(cfg) {
		d.say("ok", "tokens", "none set: bot starts the terminal chat")
		return
	}
	for _, p := range platform.Accounts() {
		if p.On(cfg) {
			d.account(ctx, cfg, p)
		}
	}
}

func (d *doctor) account(ctx context.Context, cfg config.Config, p platform.Platform) {
	a, err := p.Account(ctx, cfg)
	d.line(p.Platform, err, "the token is that of %s", a.Name)
	if err == nil {
		d.line(catalog.Fill("%s receiving", p.Platform), a.Problem, "nothing stands in the way")
	}
	if !a.Date.IsZero() {
		d.line(catalog.Fill(wordsClockOf, p.Platform), skewed(d.now(), a.Date), wordsClockAgrees)
	}
	if err != nil {
		return
	}
	for _, c := range p.Checks {
		said, err := c.Run(ctx, cfg)
		d.line(c.Name, err, "%v", said)
	}
}

// maxSkew is how far this machine's clock may be off before signatures, reminders and
// message order suffer.
const maxSkew = 2 * time.Minute

// skewed returns an error if this machine's clock differs too much from another.
func skewed(here, there time.Time) error {
	if off := here.Sub(there).Round(time.Second); off.Abs() > maxSkew {
		return text.Tell("this machine's clock is off by %s (it says %s): set it, for example with timedatectl set-ntp true",
			off, here.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	return nil
}
