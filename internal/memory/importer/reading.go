package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// Platform is that of conversations from other programs. No adapter has this name.
const Platform = "import"

// Others begins the ids of people in them who are not its owner: nobody on a platform.
const Others = "imported:"

// Owner is the person whose conversations an export becomes.
type Owner struct {
	chat.User
	// Called is what the export calls them, where it names people.
	Called string
	Zone   *time.Location // of its times without a zone; nil is UTC
}

// Kind names what an export holds and an import does not take.
type Kind string

// The kinds. Of those with a %q it says which.
const (
	KindBranch   Kind = "messages of other versions"
	KindTool     Kind = "calls of tools and what they gave"
	KindThought  Kind = "thoughts of the assistant"
	KindSystem   Kind = "instructions and notices of the program"
	KindFile     Kind = "pictures and other files"
	KindEmpty    Kind = "messages without words"
	KindDate     Kind = "messages without a usable time"
	KindForm     Kind = "entries of an unknown form"
	KindBefore   Kind = "lines before the first message"
	KindLong     Kind = "conversations of more than 32 MB"
	KindOther    Kind = "files with no conversations"
	KindProposal Kind = "lines of memory files that are no facts"
	kindContent       = "content of the kind %q"
	kindRole          = "messages of the role %q"
)

// mostKinds bounds how many kinds are told apart.
const mostKinds = 40

// reading is an export that is read.
type reading struct {
	x     *Export
	sum   io.Writer
	owner Owner
	now   time.Time
	each  func(Message) error
	left  map[Kind]int64
	facts []Proposal
	found map[string]bool // names of people, some of them
}

// leave counts what is not taken.
func (r *reading) leave(k Kind) { r.leaveSome(k, 1) }

func (r *reading) leaveSome(k Kind, n int64) {
	if r.left == nil {
		r.left = map[Kind]int64{}
	}
	if n == 0 {
		return
	}
	if _, known := r.left[k]; !known && len(r.left) >= mostKinds {
		k = KindForm
	}
	r.left[k] += n
}

// leaveNamed counts something whose kind the export names.
func (r *reading) leaveNamed(format, name string) {
	name = provenance.Label(name)
	r.leave(Kind(fmt.Sprintf(format, name)))
}

// talk is a conversation of an export.
type talk struct {
	id, title string
	began     time.Time // zero where it does not say

	last time.Time // of what was said
}

// key is where a conversation becomes its owner's.
func (r *reading) key(t *talk) chat.Key {
	id := cmp.Or(t.id, t.title+" "+t.began.UTC().Format(idTime))
	sum := sha256.Sum256([]byte(r.owner.ID + "\n" + r.x.Format.Name + "\n" + id))
	return chat.Key{Platform: Platform, Channel: r.x.Format.Name + "-" + hex.EncodeToString(sum[:8])}
}

// words are something said. Of name "" the owner said them.
type words struct {
	id, name, text string
	at             time.Time
	bot            bool
}

// earliest is before all programs whose exports are read.
var earliest = time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC)

// plausible reports whether something was said then.
func (r *reading) plausible(at time.Time) bool {
	return at.After(earliest) && at.Before(r.now.Add(24*time.Hour))
}

// say hands something said on. What has no time gets that of what came before.
func (r *reading) say(t *talk, w words) error {
	w.text = strings.TrimSpace(readable(w.text))
	if w.text == "" {
		r.leave(KindEmpty)
		return nil
	}
	if !r.plausible(w.at) {
		if w.at = t.last; w.at.IsZero() {
			w.at = t.began
		}
		if !r.plausible(w.at) {
			r.leave(KindDate)
			return nil
		}
	}
	t.last = w.at
	m := Message{Key: r.key(t), Title: readable(t.title), User: r.owner.User, Owner: r.owner.ID, Text: w.text, ID: w.id, At: w.at, Bot: w.bot,
		Via: provenance.ViaImported}
	if w.name != "" {
		name := provenance.Label(readable(w.name))
		m.User = chat.User{ID: Others + r.x.Format.Name + ":" + name, Name: name}
	}
	return r.each(m.complete())
}

// note remembers a name, to tell who there is.
func (r *reading) note(name string) {
	const most = 20
	if r.found == nil {
		r.found = map[string]bool{}
	}
	if len(r.found) < most {
		r.found[name] = true
	}
}

// tree is a conversation with branches, as long as it is read.
type tree struct {
	talk
	current string // where its last message is
	nodes   map[string]node
	order   []string
	bytes   int
	long    bool
}

// node is a place in it; without words it only connects others.
type node struct {
	words
	parent string
	empty  bool
}

// mostWords bounds a conversation, in bytes.
const mostWords = 32 << 20

// add adds a node.
func (t *tree) add(id string, n node) {
	if t.nodes == nil {
		t.nodes = map[string]node{}
	}
	if t.bytes += len(n.text) + 2*len(id) + oneMessage; t.bytes > mostWords {
		t.long, t.nodes, t.order = true, nil, nil
	}
	if _, twice := t.nodes[id]; t.long || twice {
		return
	}
	t.nodes[id], t.order = n, append(t.order, id)
}

// tell hands on what leads to the current message, and counts the other branches.
func (r *reading) tell(t *tree) error {
	if t.long {
		r.leave(KindLong)
		return nil
	}
	at := t.current
	if _, known := t.nodes[at]; !known {
		at = t.newest()
	}
	on := map[string]bool{}
	var path []string
	for at != "" && !on[at] {
		n, ok := t.nodes[at]
		if !ok {
			break
		}
		on[at], path = true, append(path, at)
		at = n.parent
	}
	for _, id := range t.order {
		if n := t.nodes[id]; !on[id] && !n.empty {
			r.leave(KindBranch)
		}
	}
	for _, id := range slices.Backward(path) {
		if n := t.nodes[id]; !n.empty {
			n.id = cmp.Or(n.id, id)
			if err := r.say(&t.talk, n.words); err != nil {
				return err
			}
		}
	}
	return nil
}

// newest returns the node that was said last, for trees that do not say which is current.
func (t *tree) newest() (id string) {
	var at time.Time
	for _, o := range t.order {
		if n := t.nodes[o]; !n.empty && !n.at.Before(at) {
			id, at = o, n.at
		}
	}
	return id
}
