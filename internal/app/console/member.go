package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/access"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Limits of members' logins. They outlive the process: a restart logs nobody out.
const (
	memberLinkLife = 5 * time.Minute
	memberIdle     = 7 * 24 * time.Hour  // unused
	memberLife     = 30 * 24 * time.Hour // at most
	memberNoted    = 10 * time.Minute    // a use is noted this often
	maxLinks       = 5                   // of one person in limitWindow
	maxMemberTries = 20                  // at links, from one address in limitWindow
	limitWindow    = 10 * time.Minute
)

// memberRoot is where members' pages begin.
const memberRoot = "/me/"

// MemberViews is what members' chats need of the process. Nothing may be nil.
type MemberViews struct {
	// On reports whether the owner allows them now.
	On func() bool
	// Admits reports whether m's author may speak where m is written.
	Admits func(ctx context.Context, m chat.Message) (bool, error)
	// Intake takes messages; nil while the process takes none.
	Intake func() chat.Intake
	// Open returns the question that waits for m's author, with its buttons.
	Open func(ctx context.Context, m chat.Message) (asked string, buttons [][]chat.Button, err error)
}

// Members is the part of the page where people whom the owner let in go on with their direct
// chats. It shares nothing with the owner's part but style, language and checks of where a
// request comes from.
type Members struct {
	Feeds *Feeds

	p       *Page
	o       MemberViews
	mux     *routes
	links   limiter       // by person
	tries   limiter       // by address
	uploads chan struct{} // holds a token for each upload being read
}

// visit is a request of somebody who is logged in.
type visit struct {
	access.WebLogin
	token, csrf string
}

// message is a message of this place that says nothing.
func (v *visit) message() chat.Message {
	return chat.Message{Key: v.Place, From: chat.User{ID: v.User}, Direct: true, Addressed: true}
}

func newMembers(p *Page, o MemberViews) *Members {
	ms := &Members{p: p, o: o, mux: &routes{}, uploads: make(chan struct{}, maxUploads),
		Feeds: &Feeds{now: p.o.Now, all: map[chat.Key]*feed{}},
		links: limiter{now: p.o.Now, seen: map[string][]time.Time{}}, tries: limiter{now: p.o.Now, seen: map[string][]time.Time{}}}
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /me/login": ms.loginForm, "POST /me/login": ms.logIn, "GET /me/page.webmanifest": p.manifest,
		"GET /me/{$}": ms.inside(ms.talk), "GET /me/logins": ms.inside(ms.logins), "GET /me/events": ms.inside(ms.events),
		"GET /me/files/{id}": ms.inside(ms.file), "POST /me/say": ms.inside(ms.say), "POST /me/end": ms.inside(ms.end),
		"POST /me/logout": ms.inside(ms.logOut),
		memberRoot: func(w http.ResponseWriter, r *http.Request) {
			p.refuse(w, r, http.StatusNotFound, "There is no such page.")
		},
	} {
		ms.mux.HandleFunc(pattern, h)
	}
	return ms
}

// serves reports whether a request is for members' pages, and there are any.
func (ms *Members) serves(r *http.Request) bool {
	return ms != nil && strings.HasPrefix(r.URL.Path, memberRoot) && ms.o.On()
}

// Prepare follows the chats that are open in browsers; without page.members it logs
// everybody out. Call it when the process starts, when the settings change, and regularly.
func (ms *Members) Prepare(ctx context.Context) error {
	if !ms.o.On() {
		n, err := ms.p.o.Store.Access.EndWebLogins(ctx, "")
		if n > 0 {
			ms.p.o.Log.Info("page.members is off: browsers were logged out", "browsers", n)
		}
		ms.Feeds.only(nil)
		return err
	}
	list, err := ms.p.o.Store.Access.WebLogins(ctx, "", ms.p.o.Now().Add(-memberIdle))
	open := map[chat.Key]bool{}
	for _, l := range list {
		ok, e := ms.admitted(ctx, l)
		if err = errors.Join(err, e); ok {
			open[l.Place] = true
			ms.Feeds.follow(l.Place)
		}
	}
	if err == nil {
		ms.Feeds.only(open)
		err = ms.p.o.Store.Access.SweepWeb(ctx, ms.p.o.Now().Add(-memberIdle))
	}
	return err
}

// Link makes a link that lets m's author in once, for m's direct chat. A text.Error says why
// there is none.
func (ms *Members) Link(ctx context.Context, m chat.Message) (link string, life time.Duration, err error) {
	if m.Key.Platform == platform {
		return "", 0, text.Tell("You are in a browser already.")
	}
	if !ms.links.allow(m.From.ID, maxLinks) {
		return "", 0, text.Tell("You have asked for several links just now. Use the last one, or wait ten minutes.")
	}
	code := rand.Text()
	l := access.WebLogin{ID: rand.Text(), User: m.From.ID, Place: m.Key.Whole(), Until: ms.p.o.Now().Add(memberLinkLife)}
	if err := ms.p.o.Store.Access.AddWebLink(ctx, l, hash(code)); err != nil {
		return "", 0, err
	}
	return ms.p.Base() + "me/login?code=" + code, memberLinkLife, nil
}

// Logins lists the browsers in which a person's chat is open.
func (ms *Members) Logins(ctx context.Context, user string) ([]access.WebLogin, error) {
	return ms.p.o.Store.Access.WebLogins(ctx, user, ms.p.o.Now().Add(-memberIdle))
}

// End logs a person out everywhere and counts the browsers.
func (ms *Members) End(ctx context.Context, user string) (int, error) {
	n, err := ms.p.o.Store.Access.EndWebLogins(ctx, user)
	return int(n), errors.Join(err, ms.Prepare(ctx))
}

// admitted reports whether a login is still good. One that is not ends for good.
func (ms *Members) admitted(ctx context.Context, l access.WebLogin) (bool, error) {
	m := chat.Message{Key: l.Place, From: chat.User{ID: l.User}, Direct: true, Addressed: true}
	ok, err := ms.o.Admits(ctx, m)
	if err != nil || ok {
		return ok && err == nil, err
	}
	_, err = ms.p.o.Store.Access.EndWebLogin(ctx, l.User, l.ID)
	return false, err
}

// find returns who a token belongs to, nil for nobody.
func (ms *Members) find(ctx context.Context, token string) (*visit, error) {
	if token == "" || !ms.o.On() {
		return nil, nil
	}
	l, ok, err := ms.p.o.Store.Access.WebLogin(ctx, hash(token), ms.p.o.Now().Add(-memberIdle))
	if err != nil || !ok {
		return nil, err
	}
	if ok, err = ms.admitted(ctx, l); err != nil || !ok {
		return nil, err
	}
	sum := sha256.Sum256([]byte("form " + token))
	return &visit{l, token, hex.EncodeToString(sum[:16])}, nil
}

const memberCookie = "_me"

func (ms *Members) token(r *http.Request) string {
	c, err := r.Cookie(doorOf(r).cookie + memberCookie)
	if err != nil {
		return ""
	}
	return c.Value
}

// cookie makes the cookie of a login; age is in seconds, below 0 to delete it.
func (d door) memberCookie(value string, age int) *http.Cookie {
	c := d.newCookie(memberCookie, value, age)
	c.Path += strings.TrimPrefix(memberRoot, "/")
	return c
}

// inside admits requests of who is logged in; one that changes something must also carry the
// login's own token.
func (ms *Members) inside(next func(http.ResponseWriter, *http.Request, *visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := ms.find(r.Context(), ms.token(r))
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case err != nil:
			ms.p.fail(w, r, frame{}, err)
		case v == nil && reads:
			lead(w, r, memberRoot+"login")
		case v == nil:
			ms.expired(w, r)
		case reads:
			next(w, r, v)
		default:
			ms.changing(w, r, v, next)
		}
	}
}

// changing admits a form of this login.
func (ms *Members) changing(w http.ResponseWriter, r *http.Request, v *visit, next func(http.ResponseWriter, *http.Request, *visit)) {
	if uploads(r) {
		select {
		case ms.uploads <- struct{}{}:
			defer func() { <-ms.uploads }()
		default:
			ms.p.refuse(w, r, http.StatusServiceUnavailable, "Too many files are on their way. Nothing was sent; try again in a moment.")
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadPatience))
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * uploadPatience))
	}
	if err := parseForm(r); err != nil {
		ms.p.refuse(w, r, http.StatusRequestEntityTooLarge, "That is too much for one message. Nothing was sent.")
		return
	}
	if subtle.ConstantTimeCompare([]byte(r.PostFormValue("csrf")), []byte(v.csrf)) != 1 {
		ms.p.refuse(w, r, http.StatusForbidden,
			"This button belongs to an older login or another page, so it was refused. Nothing was changed. Go back, reload and try again.")
		return
	}
	next(w, r, v)
}

func (ms *Members) loginForm(w http.ResponseWriter, r *http.Request) {
	ms.p.write(w, r, "memberlogin", frame{Title: catalog.Text(r.Context(), wordsYourChat),
		Body: entrance{Code: clip(r.URL.Query().Get("code"), 64)}})
}

// expired asks for a new link, and shows what was typed.
func (ms *Members) expired(w http.ResponseWriter, r *http.Request) {
	ms.p.log(r, http.StatusUnauthorized)
	typed := ""
	if !uploads(r) {
		typed = clip(r.PostFormValue("text"), maxText)
	}
	ms.p.write(w, r, "memberlogin", frame{Status: http.StatusUnauthorized, Title: catalog.Text(r.Context(), wordsYourChat),
		Body: entrance{Unsent: typed}})
}

// logIn uses a link up.
func (ms *Members) logIn(w http.ResponseWriter, r *http.Request) {
	ctx, from := r.Context(), ms.p.from(r)
	host, _, err := net.SplitHostPort(from)
	if err != nil { // as proxies say it
		host = from
	}
	if !ms.tries.allow(host, maxMemberTries) {
		ms.p.refuse(w, r, http.StatusTooManyRequests, "Too many wrong links. Wait a quarter of an hour, then ask for a new one.")
		return
	}
	before, _ := ms.find(ctx, ms.token(r))
	token := rand.Text() + rand.Text()
	l, ok, err := ms.p.o.Store.Access.TakeWebLink(ctx, hash(r.PostFormValue("code")), hash(token),
		access.WebLogin{Browser: browserOf(r), Until: ms.p.o.Now().Add(memberLife)})
	if err == nil && ok {
		ok, err = ms.admitted(ctx, l)
	}
	switch {
	case err != nil:
		ms.p.fail(w, r, frame{}, err)
		return
	case !ok:
		ms.p.refuse(w, r, http.StatusForbidden, "This link was used before, has expired, or never was one. Send /web to the bot for a new one.")
		return
	}
	if before != nil {
		_, _ = ms.p.o.Store.Access.EndWebLogin(ctx, before.User, before.ID) // it also ends by itself
	}
	ms.tries.forget(host)
	ms.Feeds.follow(l.Place)
	ms.p.o.Log.Info("a chat was opened in a browser", "person", l.User, "from", from)
	http.SetCookie(w, doorOf(r).memberCookie(token, int(memberLife.Seconds())))
	lead(w, r, memberRoot)
}

func (ms *Members) logOut(w http.ResponseWriter, r *http.Request, v *visit) {
	if _, err := ms.p.o.Store.Access.EndWebLogin(r.Context(), v.User, v.ID); err != nil {
		ms.p.fail(w, r, frame{}, err)
		return
	}
	ms.tidy(r.Context())
	http.SetCookie(w, doorOf(r).memberCookie("", -1))
	lead(w, r, memberRoot+"login")
}

// end ends one of the person's logins, or all others.
func (ms *Members) end(w http.ResponseWriter, r *http.Request, v *visit) {
	list, err := ms.Logins(r.Context(), v.User)
	for _, l := range list {
		if id := r.PostFormValue("id"); l.ID == id || id == "others" && l.ID != v.ID {
			_, e := ms.p.o.Store.Access.EndWebLogin(r.Context(), v.User, l.ID)
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		ms.p.fail(w, r, frame{}, err)
		return
	}
	ms.tidy(r.Context())
	lead(w, r, memberRoot+"logins")
}

// tidy drops what is followed for nobody.
func (ms *Members) tidy(ctx context.Context) {
	if err := ms.Prepare(ctx); err != nil {
		ms.p.o.Log.Warn("browsers that were logged out", "err", err)
	}
}

// memberLogin is a login as listed.
type memberLogin struct {
	access.WebLogin
	Here bool
}

func (ms *Members) logins(w http.ResponseWriter, r *http.Request, v *visit) {
	list, err := ms.Logins(r.Context(), v.User)
	var body []memberLogin
	for _, l := range list {
		body = append(body, memberLogin{l, l.ID == v.ID})
	}
	f := ms.frame(r, v, "logins")
	if err != nil {
		ms.p.fail(w, r, f, err)
		return
	}
	f.Body = body
	ms.p.write(w, r, "memberlogins", f)
}

// frame is what surrounds a member's page.
func (ms *Members) frame(r *http.Request, v *visit, at string) frame {
	in := catalog.Of(r.Context())
	f := frame{Title: in.Text(wordsYourChat), CSRF: v.csrf, Nav: []link{{"me/", in.Text(wordsYourChat), at == "chat"},
		{"me/logins", in.Text(wordsBrowsers), at == "logins"}}}
	if at == "logins" {
		f.Title = in.Text(wordsBrowsers)
	}
	return f
}

// Said in more than one place.
const (
	wordsYourChat = "Your chat"
	wordsBrowsers = "Browsers"
)

// browserOf says in words of ours what kind of browser asks.
func browserOf(r *http.Request) string {
	agent := r.UserAgent()
	name := func(names ...string) string {
		for _, n := range names {
			if word, shown, _ := strings.Cut(n, "="); strings.Contains(agent, word) {
				return shown
			}
		}
		return "?"
	}
	return name("Firefox/=Firefox", "Edg/=Edge", "OPR/=Opera", "Chrome/=Chrome", "Safari/=Safari") + ", " +
		name("Android=Android", "iPhone=iPhone", "iPad=iPad", "Windows=Windows", "Mac OS=macOS", "Linux=Linux")
}

// limiter counts what happened within limitWindow, by name.
type limiter struct {
	now func() time.Time

	mu   sync.Mutex // guards seen
	seen map[string][]time.Time
}

// maxLimited is how many names a limiter remembers; then it begins anew.
const maxLimited = 10_000

// allow counts one and reports whether it is among the first most.
func (l *limiter) allow(name string, most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) >= maxLimited {
		clear(l.seen)
	}
	since := l.now().Add(-limitWindow)
	kept := slices.DeleteFunc(l.seen[name], func(t time.Time) bool { return t.Before(since) })
	ok := len(kept) < most
	if ok {
		kept = append(kept, l.now())
	}
	l.seen[name] = kept
	return ok
}

func (l *limiter) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, name)
}
