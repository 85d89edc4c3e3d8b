package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// Decisions are the audit of messages, with the calls of tools.
type Decisions struct {
	db  *engine.DB
	now func() time.Time
}

// Decision is the audit of one message: what was decided about it, at what cost, and why
// the answer looks as it does. Every finished message has one, except overheard ones.
type Decision struct {
	ID      string // UUIDv4; set when stored, if empty
	InboxID int64
	Session string
	Key     chat.Key
	User    string
	Agent   string // who answered; set when stored
	End     chat.End
	Message string // what the platform calls it; set when stored
	Model   string
	By      string // the owner's name for the model, "" where there is one only
	Usage   llm.Usage
	Calls   int // model calls
	Took    time.Duration
	Detail  Detail
	At      time.Time
	Origin  Origin // of the answer and of Detail
}

// Answerer is the model of an answer, by the owner's name and the provider's.
func (d Decision) Answerer() string {
	if d.By != "" && d.By != d.Model {
		return d.By + " (" + d.Model + ")"
	}
	return d.Model
}

// Detail is what /why and /trace show.
type Detail struct {
	ErrorID  string          `json:"error_id,omitempty"`
	Error    string          `json:"error,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Intent   Intent          `json:"intent,omitzero"`
	Spoken   Spoken          `json:"spoken,omitzero"`
	Why      []string        `json:"why,omitempty"`   // plain sentences about rules and steps
	Facts    []string        `json:"facts,omitempty"` // facts that were in the prompt
	Read     []string        `json:"read,omitempty"`  // titles of what was retrieved
	Sources  []Source        `json:"cited,omitempty"` // what the answer rests on
	Tools    []string        `json:"tools,omitempty"` // plain descriptions of what was done
	Playbook json.RawMessage `json:"playbook,omitempty"`
	Guards   []Ruled         `json:"guards,omitempty"`          // in the order they decided
	Prompt   int             `json:"prompt_estimate,omitempty"` // tokens, our estimate
	Requests int             `json:"requests,omitempty"`        // to models, repeated and failed ones too
	Steps    []Lap           `json:"steps,omitempty"`           // in the order they began
}

// Spoken are words that are in no transcript: a command, and the reply to it or to a
// message that failed.
type Spoken struct {
	Said string `json:"said,omitempty"`
	Told string `json:"told,omitempty"`
}

// Ruled is what a guard decided about a call.
type Ruled struct {
	Guard  string `json:"guard"`
	Tool   string `json:"tool"`
	Ruling string `json:"ruling"` // allowed, confirm, handoff, refused
	Lacks  string `json:"lacks,omitempty"`
}

// Intent is the purpose a message was taken to have.
type Intent struct {
	By string `json:"by"` // model or code
	Is string `json:"is"` // in our own words: none of theirs
}

// Lap is one step of a turn and the time it took.
type Lap struct {
	Kind   string `json:"kind"`           // rules, model or tool
	Name   string `json:"name,omitempty"` // of the model or the tool
	Start  int64  `json:"start"`          // milliseconds from the beginning of the turn
	Took   int64  `json:"took"`           // milliseconds
	Tokens int    `json:"tokens,omitempty"`
}

// Source is something an answer rests on. N is its number in the answer, 0 for
// facts; Snippet at most 500 characters.
type Source struct {
	N       int    `json:"n,omitempty"`
	Kind    string `json:"kind"` // note, code, web, fact
	Title   string `json:"title"`
	Path    string `json:"path,omitempty"`
	URL     string `json:"url,omitempty"`
	Snippet string `json:"snippet,omitempty"`
	// Score is how well it fits what was looked for; comparable among what one search found.
	Score float64 `json:"score,omitempty"`
}

// confided are commands, and all their verbs, whose words are not kept: they may contain
// codes and addresses that grant access.
var confided = []string{"claim", "pair", "page", "web", "tools login", "hook add", "token new"}

// confides reports whether a command is one of these, by its canonical path.
func confides(path string) bool {
	return slices.ContainsFunc(confided, func(c string) bool { return path == c || strings.HasPrefix(path, c+" ") })
}

// How much is kept of a command and of what was told, in bytes.
const (
	maxSaid = 500
	maxTold = 2000
)

// quote keeps the words that are in no transcript. A command may show anybody's words.
func (d *Decision) quote(m chat.Message, parts []chat.Part) {
	command := m.Kind == chat.KindCommand && d.End.Command != ""
	if confides(d.End.Command) || !command && d.End.Outcome != chat.Failed {
		return
	}
	var told []string
	for _, p := range parts {
		told = append(told, p.Text)
	}
	d.Detail.Spoken.Told = text.ClipBytes(strings.Join(told, "\n"), maxTold)
	if command {
		d.Detail.Spoken.Said, d.Origin = text.ClipBytes(m.Text, maxSaid), d.Origin.Of(provenance.Anybody)
	}
}

// NewID returns a fresh id for a Decision.
func NewID() string { return uuid.NewString() }

// maxAuditText caps what the audit keeps of an argument or a result.
const maxAuditText = 4000

func clip(s string) string {
	short := text.ClipBytes(s, maxAuditText)
	if len(short) < len(s) {
		short += "…"
	}
	return short
}

func (s *Decisions) insertDecision(tx *engine.Tx, m chat.Message, d Decision, calls []CallRecord) error {
	if d.ID == "" {
		d.ID = uuid.NewString()
	}
	if d.End.Command != "" && d.Detail.Intent.Is == "" {
		d.Detail.Intent = Intent{By: "code", Is: "/" + d.End.Command}
	}
	d.Detail.ErrorID, d.Detail.Error = cmp.Or(d.Detail.ErrorID, d.End.ErrorID), cmp.Or(d.Detail.Error, clip(d.End.Fault))
	detail, err := json.Marshal(d.Detail)
	if err != nil {
		return err
	}
	now := Stamp(s.now())
	_, err = tx.Exec(`INSERT INTO decisions (id, inbox_id, session_id, platform, channel, thread, user_id, outcome, reason, command, message_id, model,
			prompt_tokens, completion_tokens, total_tokens, model_calls, duration_ms, detail, at, via, people, cached_tokens, cost, answered_by, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.ID, m.Row, d.Session, m.Key.Platform, m.Key.Channel, m.Key.Thread, m.From.ID, string(d.End.Outcome), string(d.End.Reason),
		d.End.Command, m.ID, d.Model,
		d.Usage.Prompt, d.Usage.Completion, d.Usage.Total, d.Calls, d.Took.Milliseconds(), string(detail), now,
		int(d.Origin.Via), d.Origin.But(m.From.ID).Names(), d.Usage.Cached, d.Usage.Cost, d.By, m.Agent.ID)
	if err != nil {
		return fmt.Errorf("store decision: %w", err)
	}
	for i, c := range calls {
		_, err := tx.Exec(`INSERT INTO tool_calls (decision_id, inbox_id, sequence, call_id, name, arguments, result, status, class, retries, duration_ms, at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			d.ID, m.Row, i+1, c.CallID, c.Name, clip(c.Arguments), clip(c.Result), c.Status, c.Class, c.Retries, c.Took.Milliseconds(), now)
		if err != nil {
			return fmt.Errorf("store tool call: %w", err)
		}
	}
	return nil
}

const decisionColumns = `id, inbox_id, session_id, platform, channel, thread, user_id, outcome, reason, command, message_id, model,
	prompt_tokens, completion_tokens, total_tokens, model_calls, duration_ms, detail, at, cached_tokens, cost, answered_by, agent`

func scanDecision(row engine.Scanner) (d Decision, err error) {
	err = row.Scan(&d.ID, &d.InboxID, &d.Session, &d.Key.Platform, &d.Key.Channel, &d.Key.Thread, &d.User, &d.End.Outcome,
		&d.End.Reason, &d.End.Command, &d.Message, &d.Model,
		&d.Usage.Prompt, &d.Usage.Completion, &d.Usage.Total, &d.Calls, engine.Millis(&d.Took), engine.JSON(&d.Detail),
		engine.Stamped(&d.At), &d.Usage.Cached, &d.Usage.Cost, &d.By, &d.Agent)
	d.End.ErrorID = d.Detail.ErrorID
	return d, err
}

// LastDecision returns the newest answer a person got in a place; commands and
// what was not answered do not count. ErrNotFound when there is none. No user means
// anybody.
func (s *Decisions) LastDecision(_ context.Context, p Place) (Decision, error) {
	return scanDecision(s.db.QueryRow(`SELECT `+decisionColumns+` FROM decisions
		WHERE platform = :platform AND channel = :channel AND thread = :thread AND `+provenance.Heard+` AND (:user = '' OR user_id = :user) AND command = '' AND outcome NOT IN ('overheard', 'shed')
		ORDER BY at DESC, rowid DESC LIMIT 1`,
		engine.Named{"platform": p.Key.Platform, "channel": p.Key.Channel, "thread": p.Key.Thread, "user": p.User, "agent": p.Agent}))
}

// DecisionByID finds a decision by the beginning of its id, eight characters
// at least; ErrNotFound when none fits.
func (s *Decisions) DecisionByID(_ context.Context, prefix string) (Decision, error) {
	return scanDecision(s.db.QueryRow("SELECT "+decisionColumns+
		" FROM decisions WHERE id >= :prefix AND id < :prefix || 'g' ORDER BY at DESC LIMIT 1", engine.Named{"prefix": prefix}))
}

// DecisionOf returns the decision of an answer by the platform's id of one of its
// messages; ErrNotFound when none fits, or the message was sent unasked.
func (s *Decisions) DecisionOf(_ context.Context, k chat.Key, message string) (Decision, error) {
	return scanDecision(s.db.QueryRow(`SELECT `+decisionColumns+` FROM decisions
		WHERE platform = :platform AND channel = :channel AND thread = :thread AND inbox_id IN (SELECT inbox_id FROM outbox WHERE platform = :platform AND channel = :channel AND thread = :thread AND platform_id = :message AND platform_id <> '' AND inbox_id <> 0)
		ORDER BY at DESC, rowid DESC LIMIT 1`,
		engine.Named{"platform": k.Platform, "channel": k.Channel, "thread": k.Thread, "message": message}))
}

// Asked returns what the message of a decision said, as it stands in the
// transcript; "" where it is not kept there: commands, what was forgotten.
func (s *Decisions) Asked(_ context.Context, d Decision) (said string, err error) {
	if d.Message == "" {
		return "", nil
	}
	return s.db.Word("read what was asked", `SELECT content FROM messages WHERE platform = ? AND channel = ? AND thread = ? AND message_id = ? AND message_id <> '' AND role = 'user' AND user_id = ?
		ORDER BY id DESC LIMIT 1`, d.Key.Platform, d.Key.Channel, d.Key.Thread, d.Message, d.User)
}

// Calls returns the tool calls of a decision in order.
func (s *Decisions) Calls(_ context.Context, decision string) ([]CallRecord, error) {
	return engine.Select(s.db, scanCall,
		"SELECT call_id, name, arguments, result, status, class, retries, duration_ms FROM tool_calls WHERE decision_id = ? ORDER BY sequence",
		decision)
}

// Matched counts, by its id, how often each guideline of the playbook matched
// since a moment, also where another one took its place.
func (s *Decisions) Matched(_ context.Context, since time.Time) (map[string]int, error) {
	return engine.Pairs[string, int](s.db, `SELECT id, count(*) FROM (
			SELECT m.value ->> 'guideline_id' AS id FROM decisions d, json_each(d.detail, '$.playbook.matches') m WHERE d.at >= :since
			UNION ALL
			SELECT m.value ->> 'guideline_id' FROM decisions d, json_each(d.detail, '$.playbook.dropped') m
			WHERE d.at >= :since AND m.value ->> 'reason' IN ('unmet dependency', 'excluded', 'already applied')) matched
		WHERE id IS NOT NULL GROUP BY id`, engine.Named{"since": Stamp(since)})
}

// Rows counts what a table holds; the error names the tables there are.
func (s *Store) Rows(_ context.Context, table string) (n int, err error) {
	var name, all string
	err = s.db.QueryRow(`SELECT coalesce(max(name) FILTER (WHERE name = ?), ''), string_agg(name, ', ') FROM `+
		s.db.Either("sqlite_schema WHERE type = 'table'",
			"(SELECT CAST(tablename AS text) AS name FROM pg_tables WHERE schemaname = current_schema()) tables"), table).Scan(&name, &all)
	if err != nil {
		return 0, err
	}
	if name == "" {
		return 0, fmt.Errorf("there is no table %s; there are %s", table, all)
	}
	err = s.db.QueryRow(`SELECT count(*) FROM "` + name + `"`).Scan(&n)
	return n, err
}

// Stat is one line of the totals since a moment.
type Stat struct {
	Outcome  chat.Outcome
	Reason   chat.Reason
	Messages int
	Calls    int // model calls
	Tokens   int
	Millis   int64 // sum of durations
}

// And returns the sum of two.
func (st Stat) And(o Stat) Stat {
	st.Messages, st.Calls, st.Tokens, st.Millis = st.Messages+o.Messages, st.Calls+o.Calls, st.Tokens+o.Tokens, st.Millis+o.Millis
	return st
}

// Tally is how many messages got what they are for and how many did not, as
// chat.Outcome.Succeeded says.
type Tally struct{ Good, Bad int }

// Count adds n messages that ended so.
func (t *Tally) Count(o chat.Outcome, n int) {
	switch good, counts := o.Succeeded(); {
	case good:
		t.Good += n
	case counts:
		t.Bad += n
	}
}

// Rate returns the share of good ones among both, like "97.5%"; "" without any.
func (t Tally) Rate() string {
	if t.Good+t.Bad == 0 {
		return ""
	}
	// Rounded down: only what never failed is 100 %.
	return fmt.Sprintf("%g%%", float64(t.Good*1000/(t.Good+t.Bad))/10)
}

// succeeded lists the outcomes that are good, or bad, for SQL.
func succeeded(yes bool) string {
	var list []string
	for _, o := range chat.Outcomes {
		if good, counts := o.Succeeded(); counts && good == yes {
			list = append(list, "'"+string(o)+"'")
		}
	}
	return strings.Join(list, ", ")
}

// Stats sums decisions since a moment, by how they ended and why. What was overheard is
// counted by days, the first of them whole.
func (s *Decisions) Stats(_ context.Context, since time.Time) ([]Stat, error) {
	return engine.Select(s.db, func(r engine.Scanner) (st Stat, err error) {
		err = r.Scan(&st.Outcome, &st.Reason, &st.Messages, &st.Calls, &st.Tokens, &st.Millis)
		return st, err
	}, `SELECT outcome, reason, sum(n), sum(calls), sum(tokens), sum(took) FROM (
			SELECT outcome, reason, count(*) AS n, sum(model_calls) AS calls, sum(total_tokens) AS tokens, sum(duration_ms) AS took
				FROM decisions WHERE at >= :since GROUP BY outcome, reason
			UNION ALL SELECT 'overheard', '', sum(n), 0, 0, 0 FROM overheard WHERE day >= substr(:since, 1, 10) HAVING sum(n) > 0) ended
		GROUP BY outcome, reason ORDER BY sum(n) DESC`, engine.Named{"since": Stamp(since)})
}
