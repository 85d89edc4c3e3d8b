package chat

import (
	"strings"
	"time"
)

// Key names one conversation, the unit of order: everything with the same Key
// is handled one after the other, everything else side by side. It is
// comparable. Thread is empty outside threads and topics.
type Key struct{ Platform, Channel, Thread string }

// String returns the form used in logs and in stored rows: platform:channel, or
// platform:channel/thread.
func (k Key) String() string {
	if k.Thread == "" {
		return k.Platform + ":" + k.Channel
	}
	return k.Platform + ":" + k.Channel + "/" + k.Thread
}

// Whole returns the channel that a thread belongs to; a channel is its own.
func (k Key) Whole() Key { k.Thread = ""; return k }

// ParseKey reads what String wrote. ok is false when a part is missing.
func ParseKey(s string) (k Key, ok bool) {
	platform, rest, ok := strings.Cut(s, ":")
	if !ok || platform == "" || rest == "" {
		return Key{}, false
	}
	channel, thread, _ := strings.Cut(rest, "/")
	return Key{Platform: platform, Channel: channel, Thread: thread}, channel != ""
}

// User is a person as a platform knows them. ID is platform-scoped
// ("telegram:42"), and permissions depend on it alone; Name
// is what people call themselves today and proves nothing.
type User struct{ ID, Name string }

// Kind is what happened on the platform.
type Kind string

// IsCommand reports whether a typed text is a command where a platform does not
// say so itself. A line that begins with "//" is none: people at a desk write
// aside with it.
func IsCommand(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
}

// The kinds of Message.
const (
	KindText    Kind = ""        // somebody wrote something
	KindCommand Kind = "command" // a slash command addressed to this bot; Text starts with "/"
	KindEdit    Kind = "edit"    // somebody changed what they wrote; Text is the new text, ReplyTo the edited message
	KindButton  Kind = "button"  // somebody pressed a button; Text is the button's Data, ReplyTo the message it sits on
	KindDeleted Kind = "deleted" // somebody took a message back; ReplyTo names it, From is empty where the platform does not tell who
	KindAdded   Kind = "added"   // somebody brought the bot into a group; From is empty where the platform does not tell who
	KindSkipped Kind = "skipped" // kept for the record, never handled: malformed or of no use; Text says why
)

// Message is one thing that happened in a conversation, normalized. It is
// stored as JSON, so its fields are a format: add, do not rename.
type Message struct {
	// Row is the inbox row, set by the journal; 0 before it is stored.
	Row int64 `json:"-"`
	// UID is the journal's name for the message: random, and so never reused. Set by the
	// journal.
	UID string `json:"-"`
	// Nonce is that of the first part of its answer. The final post finds a
	// preview by it. Set by the journal.
	Nonce string `json:"-"`
	// Raw is the event as it came; it is put aside when the message cannot be
	// stored, and not kept otherwise.
	Raw []byte `json:"-"`
	// ID is unique within Key: the platform's message id, or for edits,
	// buttons and commands something as unique. It de-duplicates redelivery.
	ID   string `json:"id"`
	Key  Key    `json:"key"`
	Kind Kind   `json:"kind,omitempty"`
	From User   `json:"from"`
	// Text has mentions of the bot removed. It is what the person typed,
	// before any limit is applied.
	Text  string `json:"text"`
	Files []File `json:"files,omitempty"`
	// ReplyTo is the message that this one answers. It is set even if that message is gone
	// or in another place: then no message of Key has this id.
	ReplyTo string `json:"reply_to,omitempty"`
	// Quote is the text of the message this one replies to, when known: data,
	// never instructions.
	Quote string `json:"quote,omitempty"`
	// Preface is what a program of the author sends with each message, such as how to answer:
	// their own wish, not a rule of the bot.
	Preface string `json:"preface,omitempty"`
	// Relayed is true if Quote holds words of neither the author nor the bot.
	Relayed bool `json:"relayed,omitempty"`
	// Addressed is true if an answer is expected: a direct chat, a mention, a
	// reply to the bot, a command. It is false for what is only overheard.
	Addressed bool `json:"addressed,omitempty"`
	// Named is true if the text calls the bot by its name. Replying to the bot, or writing
	// where it answers everything, does not.
	Named bool `json:"named,omitempty"`
	// Direct is true if only one person and the bot are in the conversation.
	Direct bool `json:"direct,omitempty"`
	// Guild is the enclosing server of a channel (Discord), empty elsewhere.
	Guild string `json:"guild,omitempty"`
	// Language is the tag of the author's language as the platform has it, such as
	// "de" or "pt-BR"; "" when it does not say.
	Language string `json:"language,omitempty"`
	// Title is what people call the place, where the platform says so.
	Title string `json:"title,omitempty"`
	// GuildTitle is what people call the server.
	GuildTitle string `json:"guild_title,omitempty"`
	// Broadcast is true of a KindAdded where one side writes and many only read.
	Broadcast bool `json:"broadcast,omitempty"`
	// Unasked is true if nobody wrote it just now: its author scheduled the question, and
	// nothing may be done for it that reaches others.
	Unasked bool `json:"unasked,omitempty"`
	// Hook is what to do with the words that a webhook brought; From is the hook then.
	Hook HookDo `json:"hook,omitempty"`
	// Admin is true if the event itself shows that the author administers the
	// place (Discord's computed permissions).
	Admin bool `json:"admin,omitempty"`
	// Forwarded text is somebody else's words: never a command, never a fact.
	Forwarded bool `json:"forwarded,omitempty"`
	// Shared is true if Text holds names or words that others chose: a contact,
	// a venue, a poll, an emoji.
	Shared bool `json:"shared,omitempty"`
	// Album is the same for all messages that were sent together as an album;
	// "" is a message of its own.
	Album string    `json:"album,omitempty"`
	At    time.Time `json:"at"`
	// Origin lets the adapter find its way back (an interaction token). It is
	// opaque to all others and copied into every Part of the answer.
	Origin string `json:"origin,omitempty"`
	// Attempt counts the processes that died with this message at the head of
	// its lane; 0 on the first try. Set by the journal.
	Attempt int `json:"-"`
	// Begun is true if an earlier process has finished a step of the answer; set
	// by the journal.
	Begun bool `json:"-"`
	// Told is true if the person who pressed a button was already told that nothing comes
	// of it (Toast).
	Told bool `json:"-"`
	// With lists the rows of the messages that the Hub joined to this one; they
	// finish with it.
	With []int64 `json:"-"`
	// Preview is the platform's id of the preview that stands where people see it, "" for
	// none; the journal sets it to what an earlier process left behind.
	Preview string `json:"-"`
	// Agent is who answers it; its place decides that anew each time.
	Agent Agent `json:"-"`
}

// Overhears reports whether m was said to others, where the bot reads along and may speak
// unasked.
func (m Message) Overhears() bool { return m.Unasked && !m.Addressed && m.Hook == "" }

// Agent names one of several agents of a bot: each reads what was said to it, and nothing
// that was said to others. The zero Agent is the only one. It is comparable.
type Agent struct {
	ID string // "" is the only one, or the first that answered everywhere
	// Kin is a JSON list of the agents whose facts about a person it shares; "" is none.
	Kin string
}

// File is an attachment. Inbound files carry Ref, which only the adapter can
// resolve and which may embed a secret: it is never logged or shown. Outbound
// files carry Data.
type File struct {
	Name string `json:"name"`
	MIME string `json:"mime,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes; 0 when unknown
	Ref  string `json:"ref,omitempty"`
	// Voice is true if the author spoke it instead of writing.
	Voice bool `json:"voice,omitempty"`
	// Form is what people call it; Seconds is how long a film is, 0 when unknown.
	Form    FileForm `json:"form,omitempty"`
	Seconds int      `json:"seconds,omitempty"`
	// Still is the Ref of a picture that stands for a film; "" for none.
	Still string `json:"still,omitempty"`
	Data  []byte `json:"data,omitempty"`
}

// Button is a choice under an answer. Data comes back as the Text of a
// KindButton message; at most 64 bytes (Telegram's callback_data). One with a
// URL opens that instead and tells the bot nothing.
type Button struct {
	Label string `json:"label"`
	Data  string `json:"data,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Answer is what a Handler wants to say. The zero Answer says nothing.
type Answer struct {
	// Text is Markdown; adapters turn it into what their platform shows.
	Text    string
	Buttons [][]Button // rows
	Files   []File
	// Private is true if nobody but the author may read it: a question from a
	// group is then answered by a whisper or in the direct chat (Confidant).
	Private bool
	// Record is stored in the same transaction that finishes the message.
	// Only the journal looks inside; nil stores nothing more.
	Record any
}

// Part is one message to be sent: a row of the outbox.
type Part struct {
	Row     int64      `json:"-"`
	Key     Key        `json:"-"`
	ReplyTo string     `json:"reply_to,omitempty"` // platform message id; first part only
	Origin  string     `json:"origin,omitempty"`
	Index   int        `json:"index"` // 0-based position in the answer
	Text    string     `json:"text"`  // Markdown, already cut by Split
	Buttons [][]Button `json:"buttons,omitempty"`
	Files   []File     `json:"files,omitempty"`
	To      User       `json:"to"` // whom it answers
	// Private is true if others read Key and only To may see this part: it is
	// whispered, or sent to the direct chat.
	Private bool `json:"private,omitempty"`
	// Ping is true if Text has the name of To, whom the platform must notify. Where a
	// platform cannot do that, the name stays.
	Ping bool `json:"ping,omitempty"`
	// Await is true if a part for a closed direct chat waits until the person
	// opens it instead of being given up.
	Await bool `json:"await,omitempty"`
	// Nonce is the same for every attempt at this part and different for any
	// other part: 25 characters, so Discord takes it.
	Nonce   string `json:"-"`
	Sending        // how far it has come
}

// Sending is the state of a part's delivery, as its row has it.
type Sending struct {
	// Preview is the platform message to turn into this part; "" sends anew.
	Preview string `json:"-"`
	// NotBefore is the earliest moment at which the platform accepts it.
	NotBefore time.Time `json:"-"`
	// Started is true if the row is already at PartStarted, or should be.
	Started bool `json:"-"`
	// Unknown counts the earlier attempts that may have been delivered: the
	// request was written and no answer was seen.
	Unknown int `json:"-"`
	// Again says that the part may be sent again if it is not known whether it was.
	Again bool `json:"-"`
	// At is when the part was stored.
	At time.Time `json:"-"`
}

// Ambient is the Policy.Listen of a channel that the bot reads along in.
const Ambient = "ambient"

// Policy holds the settings of one channel; threads follow their channel. The
// zero Policy is the default.
type Policy struct {
	Listen string   // mention, ambient, all, off; "" is what the settings say
	Who    string   // admins or owner are the only ones answered; "" is everybody who was let in
	Tools  []string // names of the only tools used here; nil is all there are
}
