package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/access"
	"parley/internal/text/catalog"
)

// Limits of logins.
const (
	purpose     = "page"
	linkLife    = 10 * time.Minute
	maxGuesses  = 10
	guessWindow = 15 * time.Minute
	loginIdle   = 12 * time.Hour
	maxLogins   = 16
)

// NewLink makes a link that logs in once, below the address of the page (see Base); an
// earlier link of the same person stops working. Any process with the database can make
// one.
func NewLink(ctx context.Context, codes *access.Register, base string, who chat.User) (string, error) {
	code := rand.Text() // at least 128 bits
	if err := codes.AddCode(ctx, purpose, hash(code), who, time.Now().Add(linkLife)); err != nil {
		return "", err
	}
	return base + "login?code=" + code, nil
}

func hash(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}

// login is a logged-in browser.
type login struct {
	csrf  string
	until time.Time
	news  chan string // result of the last form, until shown; holds one
}

// logins are kept in memory only: a restart ends them.
type logins struct {
	now  func() time.Time
	mu   sync.Mutex // guards open
	open map[[32]byte]*login
}

// begin logs a browser in and returns its token, of which only a hash is kept.
func (ls *logins) begin() (token string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	var oldest [32]byte
	for k, l := range ls.open {
		if l.until.Before(ls.now()) {
			delete(ls.open, k)
		} else if o := ls.open[oldest]; o == nil || l.until.Before(o.until) {
			oldest = k
		}
	}
	if len(ls.open) >= maxLogins {
		delete(ls.open, oldest)
	}
	token = rand.Text() + rand.Text()
	ls.open[sha256.Sum256([]byte(token))] = &login{csrf: rand.Text(), news: make(chan string, 1), until: ls.now().Add(loginIdle)}
	return token
}

// find returns a token's login and extends it; nil if there is none.
func (ls *logins) find(token string) *login {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.open[sha256.Sum256([]byte(token))]
	if l == nil || l.until.Before(ls.now()) {
		return nil
	}
	l.until = ls.now().Add(loginIdle)
	return l
}

// live reports whether a login is valid, without extending it.
func (ls *logins) live(token string) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.open[sha256.Sum256([]byte(token))]
	return l != nil && !l.until.Before(ls.now())
}

func (ls *logins) end(token string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.open, sha256.Sum256([]byte(token)))
}

// newCookie makes a cookie of the page; age is in seconds, below 0 to delete it.
func (d door) newCookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{Name: d.cookie + name, Value: value, Path: d.path, Secure: d.secure, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, MaxAge: age}
}

// token returns the browser's token, "" if it has none.
func (p *Page) token(r *http.Request) string {
	c, err := r.Cookie(doorOf(r).cookie)
	if err != nil {
		return ""
	}
	return c.Value
}

// loginForm requires pressing a button: previews, which follow links by themselves, must
// not use a link up.
func (p *Page) loginForm(w http.ResponseWriter, r *http.Request) {
	p.write(w, r, "login", frame{Title: catalog.Text(r.Context(), "Log in"), Body: entrance{Code: clip(r.URL.Query().Get("code"), 64)}})
}

// entrance is the form that logs in.
type entrance struct {
	Code   string
	Unsent string // what was typed when the login had ended; it is shown again after this one
}

// expired asks to log in again, and keeps what was typed.
func (p *Page) expired(w http.ResponseWriter, r *http.Request) {
	p.log(r, http.StatusUnauthorized)
	p.write(w, r, "login", frame{Status: http.StatusUnauthorized, Title: catalog.Text(r.Context(), "Log in"),
		Body: entrance{Unsent: clip(r.PostFormValue("text"), maxText)}})
}

// logIn takes a code. It counts the guess before checking it, so that parallel guesses
// count, too.
func (p *Page) logIn(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	ok, err := p.o.Store.Access.Try(ctx, purpose, maxGuesses, guessWindow)
	if err == nil && !ok {
		p.refuse(w, r, http.StatusTooManyRequests, "Too many wrong links. Wait a quarter of an hour, then ask for a new one.")
		return
	}
	if err == nil {
		_, ok, err = p.o.Store.Access.TakeCode(ctx, purpose, hash(r.PostFormValue("code")))
	}
	if err == nil && !ok {
		p.refuse(w, r, http.StatusForbidden,
			"This link was used before, has expired, or never was one. Ask for a new one with “bot page”, or send /page to the bot.")
		return
	}
	if err == nil {
		err = p.o.Store.Access.Forgive(ctx, purpose)
	}
	if err != nil {
		p.fail(w, r, frame{}, err)
		return
	}
	p.logins.end(p.token(r))
	p.o.Log.Info("logged in to the control page", "from", p.from(r))
	token := p.logins.begin()
	http.SetCookie(w, doorOf(r).newCookie("", token, int(loginIdle.Seconds())))
	if r.PostFormValue("text") == "" {
		lead(w, r, "/")
		return
	}
	p.sayAgain(w, r, token)
}

func (p *Page) logOut(w http.ResponseWriter, r *http.Request, _ *login) {
	p.logins.end(p.token(r))
	http.SetCookie(w, doorOf(r).newCookie("", "", -1))
	lead(w, r, "/login")
}
