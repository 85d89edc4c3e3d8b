package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

// synapse is a real homeserver with a database of its own.
type synapse struct {
	python, dir, url string
	run              *exec.Cmd
	txn              int
	tokens           []string // of people, by number
}

// TestSynapse talks through a real homeserver, which PARLEY_SYNAPSE names by its Python, while
// the bot is killed, the server starts again, and people write in between more than one sync
// brings: nothing is lost, seen twice or out of order. PARLEY_MESSAGES is how much is said.
func TestSynapse(t *testing.T) {
	python := os.Getenv("PARLEY_SYNAPSE")
	if python == "" {
		t.Skip("PARLEY_SYNAPSE names no Python that has matrix-synapse")
	}
	n, _ := strconv.Atoi(os.Getenv("PARLEY_MESSAGES"))
	n = max(n, 50)
	s := newSynapse(t, python)
	bot := s.login(t, "bot")
	w := newWorld(t)
	w.llm.Quiet()
	w.matrixAt(s.url, bot)
	x := &talk{t: t, w: w, s: s, r: rand.New(rand.NewPCG(7, 33)), want: map[string][]string{}}
	x.child = w.start(t)
	for i := range 4 {
		token := s.login(t, fmt.Sprint("person", i))
		room := s.direct(t, token)
		x.rooms, s.tokens = append(x.rooms, room), append(s.tokens, token)
	}
	eventually(t, "the bot is in every room", func() bool {
		var in struct {
			Rooms []string `json:"joined_rooms"`
		}
		return s.ask("GET", "/v3/joined_rooms", bot, nil, &in) == nil && len(in.Rooms) == len(x.rooms)
	})
	x.play(n)
	t.Logf("%d messages: %+v; %v", n, reckon(x.want, s.shown(t, x.rooms)), x.did)
}

// talk is what people say, and what happens meanwhile.
type talk struct {
	t     *testing.T
	w     *world
	s     *synapse
	r     *rand.Rand
	child *exec.Cmd
	rooms []string
	want  map[string][]string
	did   map[string]int
}

func (x *talk) play(n int) {
	x.did = map[string]int{}
	for said := 0; said < n; {
		gap := x.r.IntN(4) == 0
		if gap { // more than a sync brings is said to nobody
			kill(x.child)
			x.did["gap"]++
		}
		many := 1 + x.r.IntN(20)
		only := x.r.IntN(len(x.rooms))
		if gap {
			many = 60 + x.r.IntN(90)
		}
		for range min(many, n-said) {
			who := x.r.IntN(len(x.rooms))
			if gap {
				who = only
			}
			token := fmt.Sprintf("tok-%d-%d.", who, said)
			x.want[x.rooms[who]] = append(x.want[x.rooms[who]], token)
			x.s.say(x.t, x.s.tokens[who], x.rooms[who], token)
			said++
		}
		switch {
		case gap:
			x.child = x.w.start(x.t)
		case x.r.IntN(2) == 0:
			x.did["kill"]++
			kill(x.child)
			x.child = x.w.start(x.t)
		case x.r.IntN(3) == 0:
			x.did["server restart"]++
			x.s.stop()
			x.s.start(x.t)
		}
	}
	whole := waittest.Within(5*time.Minute, func() bool { return reckon(x.want, x.s.shown(x.t, x.rooms)).lost == 0 })
	x.w.settled(x.t)
	if l := reckon(x.want, x.s.shown(x.t, x.rooms)); l != (ledger{}) || !whole {
		x.t.Errorf("%+v", l)
	}
}

func newSynapse(t *testing.T, python string) *synapse {
	dir := t.TempDir()
	port := free(t)
	s := &synapse{python: python, dir: dir, url: fmt.Sprint("http://127.0.0.1:", port)}
	limits := ""
	for _, name := range []string{"rc_message", "rc_registration"} {
		limits += name + ": {per_second: 1000, burst_count: 1000}\n"
	}
	must(t, os.WriteFile(filepath.Join(dir, "homeserver.yaml"), fmt.Appendf(nil, `server_name: localhost
pid_file: %[1]s/pid
listeners: [{port: %[2]d, bind_addresses: [127.0.0.1], type: http, tls: false, resources: [{names: [client]}]}]
database: {name: sqlite3, args: {database: %[1]s/homeserver.db}}
media_store_path: %[1]s/media
signing_key_path: %[1]s/signing.key
registration_shared_secret: parley
macaroon_secret_key: parley
form_secret: parley
report_stats: false
trusted_key_servers: []
rc_login: {address: {per_second: 1000, burst_count: 1000}, account: {per_second: 1000, burst_count: 1000}}
rc_joins: {local: {per_second: 1000, burst_count: 1000}}
rc_invites: {per_room: {per_second: 1000, burst_count: 1000}, per_user: {per_second: 1000, burst_count: 1000}}
%[3]s`, dir, port, limits), 0o600))
	make := exec.Command(python, "-m", "synapse.app.homeserver", "-c", filepath.Join(dir, "homeserver.yaml"), "--generate-keys")
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(s.stop)
	s.start(t)
	return s
}

func (s *synapse) start(t *testing.T) {
	t.Helper()
	s.run = exec.Command(s.python, "-m", "synapse.app.homeserver", "-c", filepath.Join(s.dir, "homeserver.yaml"))
	s.run.Dir = s.dir
	must(t, s.run.Start())
	if !waittest.Within(2*time.Minute, func() bool { return s.ask("GET", "/versions", "", nil, nil) == nil }) {
		t.Fatal("the server does not start")
	}
}

func (s *synapse) stop() {
	_ = s.run.Process.Kill()
	_ = s.run.Wait()
}

// ask makes one request; body is what is sent, and what the answer is read into.
func (s *synapse) ask(method, path, token string, body ...any) error {
	in, out := body[0], body[1]
	sent, _ := json.Marshal(in)
	req, err := http.NewRequest(method, s.url+"/_matrix/client"+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return fmt.Errorf("%s: status %d: %s: %w", path, resp.StatusCode, answer, err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// login makes an account and returns its token.
func (s *synapse) login(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(filepath.Dir(s.python), "register_new_matrix_user"), "-u", name, "-p", "secret-"+name, "--no-admin",
		"-k", "parley", s.url).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Token string `json:"access_token"`
	}
	must(t, s.ask("POST", "/v3/login", "", map[string]any{"type": "m.login.password", "password": "secret-" + name,
		"identifier": map[string]any{"type": "m.id.user", "user": name}}, &got))
	return got.Token
}

// direct invites the bot to a direct chat.
func (s *synapse) direct(t *testing.T, token string) string {
	t.Helper()
	var made struct {
		Room string `json:"room_id"`
	}
	must(t, s.ask("POST", "/v3/createRoom", token, map[string]any{"is_direct": true, "invite": []string{"@bot:localhost"},
		"preset": "trusted_private_chat"}, &made))
	return made.Room
}

func (s *synapse) say(t *testing.T, token, room, text string) {
	t.Helper()
	s.txn++
	must(t, s.ask("PUT", fmt.Sprintf("/v3/rooms/%s/send/m.room.message/t%d", url.PathEscape(room), s.txn), token,
		map[string]any{"msgtype": "m.text", "body": text}, nil))
}

// shown returns what the bot said in its rooms, as people see it; each room is read by its person.
func (s *synapse) shown(t *testing.T, rooms []string) (list []shown) {
	t.Helper()
	for i, room := range rooms {
		list = append(list, s.in(t, i, room)...)
	}
	return list
}

func (s *synapse) in(t *testing.T, person int, room string) (list []shown) {
	t.Helper()
	token := s.tokens[person]
	edits, from := map[string]string{}, ""
	for {
		var page struct {
			Chunk []struct {
				Sender, Type string
				Event        string `json:"event_id"`
				Content      struct {
					Body string
					New  struct{ Body string } `json:"m.new_content"`
					Rel  struct {
						Type string `json:"rel_type"`
						On   string `json:"event_id"`
					} `json:"m.relates_to"`
				}
			}
			End string
		}
		must(t, s.ask("GET", "/v3/rooms/"+url.PathEscape(room)+"/messages?dir=f&limit=500&from="+from, token, nil, &page))
		for _, e := range page.Chunk {
			switch {
			case e.Sender != "@bot:localhost" || e.Type != "m.room.message" || e.Content.Body == "":
			case e.Content.Rel.Type == "m.replace":
				edits[e.Content.Rel.On] = e.Content.New.Body
			default:
				list = append(list, shown{room, e.Event + " " + e.Content.Body})
			}
		}
		if from = page.End; from == "" {
			break
		}
	}
	for i := range list {
		id, _, _ := strings.Cut(list[i].text, " ")
		if now, ok := edits[id]; ok {
			list[i].text = id + " " + now
		}
	}
	return list
}

// free returns a port that nobody listens on.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
