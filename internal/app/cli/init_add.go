package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/config"
	"parley/internal/app/platform"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// change is one setting that init changes.
type change struct {
	path   string
	values []string
}

// errAnew: the settings begin from nothing, and the old ones are kept beside them.
var errAnew = errors.New("begin anew")

// adds is what can be added to settings that exist, by name.
func (w *wizard) adds() []addition {
	list := []addition{{"model", catalog.Words("another model, or another key"), w.addModel}}
	for _, p := range platform.Accounts() {
		list = append(list, addition{p.Platform, catalog.Words(p.Title), w.addPlatform(p)})
	}
	return append(list,
		addition{"page", catalog.Words("the control page: where it listens, and where you open it"), w.addPage},
		addition{"service", catalog.Words("a service, so that it starts with this machine"), func(ctx context.Context) ([]change,
			error) {
			return nil, w.service(ctx)
		}},
		addition{"telegram settings", catalog.Words("how it is on Telegram: reactions, a webhook"), w.section("telegram")},
		addition{"other", catalog.Words("any other setting, by its name"), w.setting},
		addition{"anew", catalog.Words("everything anew; the file of today is kept beside it"), func(context.Context) ([]change,
			error) {
			return nil, errAnew
		}})
}

// addition is one thing to change; ask returns what the answers set.
type addition struct {
	name string
	what catalog.Phrase
	ask  func(context.Context) ([]change, error)
}

// add changes one thing in the settings that exist: it asks what, shows the difference and
// writes it when told to.
func (w *wizard) add(ctx context.Context) error {
	b, err := os.ReadFile(w.file)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	for _, c := range []*config.Config{&w.before, &w.base, &w.made} { // each is changed alone
		if *c, err = config.Load(config.Options{File: w.file, Env: os.Environ(), IDs: w.ids}); err != nil {
			return err
		}
	}
	w.know(w.made)
	w.say("%s exists. It says:\n%s", w.file, w.summary())
	changes, err := w.oneThing(ctx)
	if err != nil || len(changes) == 0 {
		return err
	}
	return w.rewrite(ctx, string(b), changes)
}

// summary says in a few lines what the settings are.
func (w *wizard) summary() string {
	lines := []string{w.p.Say("  model: %s", w.made.Model.Name)}
	for _, p := range platform.Accounts() {
		if *p.Token(&w.made) != "" {
			lines = append(lines, w.p.Say("  %s: yes", p.Title))
		} else {
			lines = append(lines, w.p.Say("  %s: no", p.Title))
		}
	}
	where := w.p.Text("none")
	if at := w.made.HTTP.Listen; at != "" {
		where = strings.TrimSpace(at + " " + w.made.Page.URL)
	}
	return strings.Join(append(lines, w.p.Say("  page: %s", where)), "\n")
}

// oneThing asks what to change, and how.
func (w *wizard) oneThing(ctx context.Context) (changes []change, err error) {
	all := w.adds()
	w.say("What shall change?")
	for i, a := range all {
		w.say("  %2d  %s", i+1, a.what.In(w.p))
	}
	for {
		var chosen *addition
		err = w.until(ctx, question{name: "change", text: catalog.Words("   A number (skip changes nothing):"), help: catalog.Words(
			"  Type the number of one line. You see what would change in the file before\n  anything is written; everything else in it stays, comments too.")},
			func(said string) error {
				n, _ := strconv.Atoi(said)
				i := slices.IndexFunc(all, func(a addition) bool { return strings.EqualFold(a.name, said) })
				if n > 0 && n <= len(all) {
					i = n - 1
				}
				if i < 0 && said != skipped && said != "" {
					return text.Tell("a number from 1 to %d", len(all))
				}
				if i >= 0 {
					chosen = &all[i]
				}
				return nil
			})
		if err != nil || chosen == nil {
			if err == nil {
				err = text.Tell("%s is as it was", w.file)
			}
			return nil, err
		}
		if changes, err = chosen.ask(ctx); !errors.Is(err, errBack) {
			return changes, err
		}
	}
}

// addModel asks for a model as a first start does.
func (w *wizard) addModel(ctx context.Context) ([]change, error) {
	if err := w.walk(ctx, []step{{"provider", w.provider}, {"key", w.key}, {"model", w.model}}); err != nil {
		return nil, err
	}
	return []change{{"model.base_url", []string{w.made.Model.BaseURL}}, {"model.api_key", []string{string(w.made.Model.APIKey)}},
		{"model.name", []string{w.made.Model.Name}}}, nil
}

// addPlatform asks for a platform's token and owner.
func (w *wizard) addPlatform(p platform.Platform) func(context.Context) ([]change, error) {
	return func(ctx context.Context) ([]change, error) {
		owners := slices.Clone(w.made.Access.Owners)
		w.chosen = []platform.Platform{p}
		if err := w.walk(ctx, []step{{p.Platform + ".token", w.token(p)}, {p.Platform + ".owner", w.owner(p)}}); err != nil {
			return nil, err
		}
		if !w.picked(p) { // skipped
			return nil, text.Tell("%s is as it was", w.file)
		}
		list := []change{{p.Platform + ".token", []string{string(*p.Token(&w.made))}}}
		for _, id := range w.made.Access.Owners { // those who own it already stay
			if !slices.Contains(owners, id) {
				owners = append(owners, id)
			}
		}
		if len(owners) > len(w.before.Access.Owners) {
			list = append(list, change{"access.owners", owners})
		}
		return list, nil
	}
}

// fits checks settings as they would be.
func (w *wizard) fits(changes ...change) error {
	c := w.before
	for _, ch := range changes {
		if err := c.Set(ch.path, strings.Join(ch.values, ",")); err != nil {
			return err
		}
	}
	return c.Validate(w.ids)
}

// section lists the settings of a section, then takes one of them.
func (w *wizard) section(section string) func(context.Context) ([]change, error) {
	return func(ctx context.Context) ([]change, error) {
		for _, s := range config.Settings() {
			if strings.HasPrefix(s.Path, section+".") && !s.Secret {
				value, _ := w.made.Get(s.Path)
				w.say("  %s: %s\n      %s", s.Path, value, w.p.Text(s.Doc))
			}
		}
		return w.setting(ctx)
	}
}

// setting takes any setting by its name.
func (w *wizard) setting(ctx context.Context) (list []change, err error) {
	err = w.until(ctx, question{name: "setting", text: catalog.Words("   NAME VALUE, such as telegram.reactions true:"), help: catalog.Words(
		"  docs/settings.md and config/bot.example.yaml have every name. A list takes its\n  values with commas.")},
		func(said string) error {
			path, value, _ := strings.Cut(said, " ")
			path, value = strings.TrimSuffix(path, ":"), strings.TrimSpace(value)
			list = []change{{path, []string{value}}}
			return w.fits(list...)
		})
	return list, err
}

// addPage asks where the page listens, and under which address it is opened.
func (w *wizard) addPage(ctx context.Context) (list []change, err error) {
	at := w.made.HTTP.Listen
	if at == "" {
		at = "127.0.0.1:9090"
	}
	ask := question{name: "page.listen", text: catalog.Fill("   Where does it listen? [%s]:", at), help: catalog.Words(
		"  127.0.0.1 means: for this machine alone. That is right with a reverse proxy or\n  Tailscale on this machine, and with ssh -L from elsewhere.")}
	if err = w.until(ctx, ask, func(said string) error {
		if said != "" && said != skipped {
			at = said
		}
		return w.fits(change{"http.listen", []string{at}})
	}); err != nil {
		return nil, err
	}
	list = []change{{"http.listen", []string{at}}}
	ask = question{name: "page.url", text: catalog.Words("   Under which address do you open it, on your phone too? Enter: only here:"),
		help: catalog.Words(
			"  With a reverse proxy before it, such as https://home.example/parley/ —\n  docs/install.md has blocks for Caddy, nginx and Tailscale.")}
	err = w.until(ctx, ask, func(said string) error {
		if said == "" || said == skipped {
			return nil
		}
		if err := w.fits(list[0], change{"page.url", []string{said}}); err != nil {
			return err
		}
		list = append(list, change{"page.url", []string{said}})
		if len(w.made.Page.Proxies) == 0 {
			list = append(list, change{"page.proxies", []string{"127.0.0.1"}})
		}
		return nil
	})
	return list, err
}

// rewrite shows what changes in the file and, when told to, writes it.
func (w *wizard) rewrite(ctx context.Context, old string, changes []change) error {
	edited := old
	for _, c := range changes {
		if was, _ := w.before.Get(c.path); was == "" && strings.Join(c.values, "") == "" {
			continue // it says nothing yet, and shall not
		}
		next, err := config.Edit(edited, c.path, c.values...)
		if err != nil {
			return text.Tell("%s cannot be changed by itself there: set %s to %s in it", w.file, c.path, w.hide(strings.Join(c.values, ", ")))
		}
		edited = next
	}
	if edited == old {
		return text.Tell("%s is as it was", w.file)
	}
	w.say("\nThat changes %s:", w.file)
	for _, line := range difference(old, edited) {
		w.say("%s", line)
	}
	said, err := w.answer(ctx, question{name: "write", text: catalog.Words("Write it? [yes]:"), help: catalog.Words(
		"  yes writes the lines that begin with +, in place of those that begin with -.")})
	if err != nil {
		return err
	}
	if !w.yes(said) && said != "" {
		return text.Tell("%s is as it was", w.file)
	}
	if now, err := os.ReadFile(w.file); err != nil || string(now) != old {
		return text.Tell("%s was changed meanwhile; nothing was written", w.file)
	}
	if err := w.put(edited); err != nil {
		return err
	}
	w.say("%s is written. A bot that runs takes it when it starts again, or with SIGHUP where that is enough.", w.file)
	return nil
}

// difference returns the lines that differ, marked - and +, with a line around them.
func difference(old, edited string) (list []string) {
	a, b := strings.Split(strings.TrimSuffix(old, "\n"), "\n"), strings.Split(strings.TrimSuffix(edited, "\n"), "\n")
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
			continue
		case len(b) > 0 && (len(a) == 0 || slices.Contains(b, a[0])): // new lines before one that stays
			list = append(list, "  + "+b[0])
			b = b[1:]
		default:
			list = append(list, "  - "+a[0])
			a = a[1:]
		}
	}
	return list
}

// keep moves the settings of today aside, and returns where.
func (w *wizard) keep() (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.old-%d", w.file, n)
		if _, err := os.Lstat(to); os.IsNotExist(err) {
			return filepath.Base(to), os.Rename(w.file, to)
		}
	}
}
