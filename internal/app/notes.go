package app

import (
	"context"
	_ "embed" // prompts
	"errors"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/command/health"
	"parley/internal/notes/citation"
	head "parley/internal/notes/frontmatter"
	"parley/internal/notes/index"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// wordsNotes is said in more than one place.
const wordsNotes = "notes"

// notes owns the folders of notes and code and their index.
type notes struct {
	*base
	people *people
	models *models
	mind   *mind
	index  *index.Vault // nil for none
}

// open opens the folders of notes and code, if any are set.
func (n *notes) open(ctx context.Context) (err error) {
	n.index, err = setup.OpenVault(ctx, n.cfg, index.Options{Embed: n.models.embeds(), Log: n.log, Now: n.now})
	return err
}

// follow keeps the index up to date until ctx ends.
func (n *notes) follow(ctx context.Context) {
	if n.index == nil {
		return
	}
	n.background(func() {
		if err := n.index.Run(ctx); err != nil {
			n.log.Error("follow notes", "err", err)
		}
	})
}

// has reports whether the settings have a source of this kind.
func (n *notes) has(kind string) bool {
	return slices.ContainsFunc(n.cfg.Sources, func(s config.Source) bool { return s.Kind == kind })
}

// view returns the notes as tools see them.
func (n *notes) view() tools.Notes {
	view := tools.Notes{Vault: n.index, Code: n.has(index.KindCode), Authors: n.store.Access, Writes: n.mayWrite,
		Owner: n.people.owns}
	if n.cfg.Vault.Readers == "owner" {
		view.May = n.people.isOwner
	}
	view.Clock, view.Sources = n.clock, n.mind.draws
	bases := map[string]string{setup.NotesSource: n.cfg.Vault.BaseURL}
	for _, s := range n.cfg.Sources {
		bases[s.Name] = s.BaseURL
	}
	view.Link = func(source, path string, line int) string { return setup.SourceLink(bases[source], path, line) }
	return view
}

// clock returns somebody's local time.
func (n *notes) clock(ctx context.Context, who chat.User) time.Time {
	return n.now().In(n.people.location(ctx, who))
}

// mayWrite reports whether the caller may have notes written.
func (n *notes) mayWrite(ctx context.Context, c tools.Call) bool {
	least := map[string]gate.Role{"everyone": gate.Member, "admins": gate.Admin, "owner": gate.Owner}[n.cfg.Vault.Writers]
	return n.people.roleOf(ctx, c) >= least
}

// shelf returns the notes that m's author may read in m's place.
func (n *notes) shelf(ctx context.Context, m chat.Message) (*tools.Shelf, error) {
	return n.view().Shelf(ctx, tools.CallOf(m))
}

// written returns the source that notes are written to, "" for none.
func (n *notes) written() string {
	if n.cfg.Vault.Dir != "" {
		return setup.NotesSource
	}
	for _, s := range n.cfg.Sources {
		if s.Kind == index.KindNotes {
			return s.Name
		}
	}
	return ""
}

// noteWriters are the tools that write notes.
var noteWriters = []string{"vault_write", "vault_move", "vault_create_index", tools.Librarian}

// lends reports whether an agent may have a tool, given the sources it may use. It allows
// tools that have nothing to do with notes or code.
func (n *notes) lends(agent chat.Agent, tool tools.Spec) bool {
	from := n.mind.draws(agent)
	if from == nil {
		return true
	}
	kind := map[tools.Category]string{tools.Vault: index.KindNotes, tools.Code: index.KindCode}[tool.Category]
	switch {
	case slices.Contains(noteWriters, tool.Name):
		return slices.Contains(from, n.written())
	case kind == "":
		return true
	}
	return kind == index.KindNotes && slices.Contains(from, setup.NotesSource) ||
		slices.ContainsFunc(n.cfg.Sources, func(s config.Source) bool { return s.Kind == kind && slices.Contains(from, s.Name) })
}

// tools returns the tools on notes and the librarian.
func (n *notes) tools() []tools.Tool {
	if n.index == nil {
		return nil
	}
	list := tools.VaultTools(n.view())
	if n.written() != "" {
		list = append(list, n.librarian())
	}
	return list
}

// close may be called twice.
func (n *notes) close() {
	if n.index != nil {
		if err := n.index.Close(); err != nil {
			n.log.Error("close index of notes", "err", err)
		}
	}
}

// prefetched is the number of passages fetched before the model is asked.
const prefetched = 3

// prefetch returns a function that finds notes for a message; nil if prefetching is off.
func (n *notes) prefetch() func(context.Context, chat.Message) (tools.Result, error) {
	if n.index == nil || !n.cfg.Vault.Prefetch {
		return nil
	}
	may := n.view().May
	return func(ctx context.Context, m chat.Message) (tools.Result, error) {
		if may != nil && !may(ctx, tools.CallOf(m)) {
			return tools.Result{}, nil
		}
		s, err := n.shelf(ctx, m)
		if err != nil {
			return tools.Result{}, err
		}
		hits, err := s.Search(ctx, index.Query{Text: m.Text, Limit: prefetched})
		if errors.Is(err, index.ErrNotReady) {
			return tools.Result{}, nil
		}
		if err != nil {
			return tools.Result{}, err
		}
		return s.Found(ctx, index.KindNotes, hits)
	}
}

// cite checks the citations of an answer.
func (n *notes) cite(answer string, list []tools.Source) (text string, numbers []int, unsure []string) {
	c := citation.Check(answer, passages(list))
	return c.Text, c.Numbers, c.Unsure
}

// passages are sources as citations are checked against.
func passages(list []tools.Source) []citation.Passage {
	all := make([]citation.Passage, len(list))
	for i, s := range list {
		path, heading, _ := strings.Cut(s.Path, "#")
		all[i] = citation.Passage{Document: path, Title: s.Title, Heading: heading, Text: s.Text, Dated: head.Day(path, nil) != 0, URL: s.URL}
	}
	return all
}

// disputes finds contradictions between notes that the answer does not mention.
func (n *notes) disputes(question, answer string, list []tools.Source) (all []agent.Dispute) {
	for _, d := range citation.Disputes(question, passages(list)) {
		if !d.Told(answer) {
			all = append(all, agent.Dispute{A: d.A, B: d.B, SaidA: d.SaidA, SaidB: d.SaidB})
		}
	}
	return all
}

// state describes the index, for /status and doctor.
func (n *notes) state(p catalog.Printer) (said string, ill bool) {
	st := n.index.Status()
	said = p.Say("%s, %s, %s", catalog.Words(st.State), catalog.Count{N: st.Documents, Thing: "document"},
		catalog.Count{N: st.Sections, Thing: "section"})
	if n.models.embedder != nil {
		said += ", " + p.Many(st.Vectors, "vector")
		if st.Wordless > 0 {
			said += p.Say(" (%s found by words alone: the embedding model refuses them)", p.Many(st.Wordless, "section"))
		}
	}
	if st.Unread > 0 {
		said += p.Say(", %s still to be looked at", p.Many(st.Unread, "PDF or Word document"))
	}
	if st.State == index.StateBuilding || st.State == index.StateLoading {
		said += p.Say(" (%d of %d files looked at)", st.Done, st.Total)
	}
	skipped, linked := 0, 0
	for _, s := range st.Sources {
		skipped += s.Skipped
		linked += s.Linked
	}
	if skipped > 0 {
		said += p.Say(", skipped: %s", p.Many(skipped, "file"))
	}
	if linked > 0 {
		said += p.Say(" (%d of them because they are hard links; vault.hard_links says what to do with those)", linked)
	}
	if st.Err != "" {
		said += ": " + text.Shorten(st.Err, 200)
	}
	away := n.away()
	for _, why := range away {
		said += "; " + why.Why.In(p)
	}
	return said, st.Err != "" || st.State == index.StateBroken || len(away) > 0
}

// away lists the folders that are missing, and why.
func (n *notes) away() (all []health.Finding) {
	for _, s := range n.index.Status().Sources {
		if s.Away {
			all = append(all, health.Concern(wordsNotes, catalog.Fill("the folder %s is away: %s", s.Name, text.Shorten(s.Err, 300))))
		}
	}
	return all
}

// commands returns the view of the notes for slash commands.
func (n *notes) commands() command.Notes {
	view := command.Notes{Owner: n.cfg.Vault.Readers == "owner", BuiltIn: n.models.builtIn()}
	if n.index != nil {
		view.View = n.view()
		view.State = func(p catalog.Printer) string { said, _ := n.state(p); return said }
	}
	if n.written() != "" {
		view.Writes = true
		view.Tidy = func(ctx context.Context, m chat.Message, task string) (chat.Answer, error) {
			return n.mind.At(m).Propose(ctx, m, tools.Librarian, map[string]any{"task": task})
		}
	}
	return view
}

// reads reports whether m's author may read the notes at all.
func (n *notes) reads(ctx context.Context, m chat.Message) bool {
	return n.cfg.Vault.Readers != "owner" || n.people.isOwner(ctx, tools.CallOf(m))
}

// shows reports whether m's author may read a cited note, given its path and heading.
func (n *notes) shows(ctx context.Context, m chat.Message, cited string) bool {
	if n.index == nil {
		return true
	}
	s, err := n.shelf(ctx, m)
	if err != nil {
		return false
	}
	path, _, _ := strings.Cut(cited, "#")
	ok, err := s.Shows(ctx, "", path)
	return ok && err == nil
}
