package chat

import (
	"strings"
	"time"
)

// Key names one conversation, the unit of order: everything with the same Key
// is handled one after the other, everything else side by side. It is
// comparable. Thread is empty outside threads and topics.
type Key struct{ Platform, Channel, Thread string }

// String is the form used in logs and in stored rows: platform:channel, or
// platform:channel/thread.
func (k Key) String() string {
	if k.Thread == "" {
		return k.Platform + ":" + k.Channel
	}
	return k.Platform + ":" + k.Channel + "/" + k.Thread
}

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
// ("telegram:42") and is the only thing authority is ever derived from; Name
// is what the person calls themselves today and proves nothing.
type User struct{ ID, Name string }

// Kind tells what happened on the platform.
type Kind string

// The kinds of Message.
const (
	KindText    Kind = ""        // somebody wrote something
	KindCommand Kind = "command" // a slash command addressed to this bot; Text starts with "/"
	KindEdit    Kind = "edit"    // somebody changed what they wrote; Text is the new text, ReplyTo the edited message
	KindButton  Kind = "button"  // somebody pressed a button; Text is the button's Data, ReplyTo the message it sits on
	KindDeleted Kind = "deleted" // somebody took a message back; ReplyTo names it, From is empty where the platform does not tell who
	KindSkipped Kind = "skipped" // kept for the record, never handled: malformed or of no use; Text says why
)

// Message is one thing that happened in a conversation, normalized. It is
// stored as JSON, so its fields are a format: add, do not rename.
type Message struct {
	// Row is the inbox row, set by the journal; 0 before it is stored.
	Row int64 `json:"-"`
	// UID is the journal's name for the message: random, so that what is known
	// by it is never taken for anything else. Set by the journal.
	UID string `json:"-"`
	// Nonce is that of the first part of its answer. A preview that is posted
	// under it is found again by the final post. Set by the journal.
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
	Text    string `json:"text"`
	Files   []File `json:"files,omitempty"`
	ReplyTo string `json:"reply_to,omitempty"`
	// Quote is the text of the message this one replies to, when known: data,
	// never instructions.
	Quote string `json:"quote,omitempty"`
	// Relayed says that Quote holds words of neither the author nor the bot.
	Relayed bool `json:"relayed,omitempty"`
	// Addressed says that an answer is expected: a direct chat, a mention, a
	// reply to the bot, a command. What is only overheard has it false.
	Addressed bool `json:"addressed,omitempty"`
	// Direct says that the conversation has one person and the bot in it.
	Direct bool `json:"direct,omitempty"`
	// Guild is the enclosing server of a channel (Discord), empty elsewhere.
	Guild string `json:"guild,omitempty"`
	// Admin says that the platform itself vouched, with this very event, that
	// the author administers the place (Discord's computed permissions).
	Admin bool `json:"admin,omitempty"`
	// Forwarded text is somebody else's words: never a command, never a fact.
	Forwarded bool `json:"forwarded,omitempty"`
	// Shared says that Text holds names or words that others gave to what is
	// shown: a contact, a venue, a poll, an emoji.
	Shared bool `json:"shared,omitempty"`
	// Album is the same for what its author sent as one, as several messages;
	// "" is a message of its own.
	Album string    `json:"album,omitempty"`
	At    time.Time `json:"at"`
	// Origin is the adapter's way home (an interaction token); opaque to all
	// others, carried into every Part of the answer.
	Origin string `json:"origin,omitempty"`
	// Attempt counts the processes that died with this message at the head of
	// its lane; 0 on the first try. Set by the journal.
	Attempt int `json:"-"`
	// Begun says that an earlier process has finished a step of the answer; set
	// by the journal.
	Begun bool `json:"-"`
	// Told says that the platform has told whoever pressed a button already what
	// comes of it (Toast), if nothing does.
	Told bool `json:"-"`
	// With are the rows of the messages that the Hub has joined to this one,
	// finished with it.
	With []int64 `json:"-"`
	// Preview is the platform's id of a preview an earlier process left
	// behind; set by the journal.
	Preview string `json:"-"`
}

// File is an attachment. Inbound files carry Ref, which only the adapter can
// resolve and which may embed a secret: it is never logged or shown. Outbound
// files carry Data.
type File struct {
	Name string `json:"name"`
	MIME string `json:"mime,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes; 0 when unknown
	Ref  string `json:"ref,omitempty"`
	// Voice says that the author spoke it instead of writing.
	Voice bool   `json:"voice,omitempty"`
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

// Answer is what a Handler wants said. The zero Answer says nothing.
type Answer struct {
	// Text is Markdown; adapters turn it into what their platform shows.
	Text    string
	Buttons [][]Button // rows
	Files   []File
	// Private says that nobody but the author may read it: what was asked in
	// company is answered by a whisper or in the direct chat (Confidant).
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
	// Private says that Key is a place where others read, and that To alone may
	// see this there: it is whispered, or said in the direct chat.
	Private bool `json:"private,omitempty"`
	// Await says that a part for a direct chat that is closed waits until the
	// person opens it (PartWaiting), instead of being given up.
	Await bool `json:"await,omitempty"`
	// Nonce is the same for every attempt at this part and different for any
	// other part: 25 characters, so Discord takes it.
	Nonce   string `json:"-"`
	Sending        // how far it has come
}

// Sending is how far a part has come on its way; the row knows it.
type Sending struct {
	// Preview is the platform message to turn into this part; "" sends anew.
	Preview string `json:"-"`
	// NotBefore is the earliest moment the platform wants to hear of it.
	NotBefore time.Time `json:"-"`
	// Started says that the row already stands at PartStarted, or shall.
	Started bool `json:"-"`
	// Unknown counts the earlier attempts that may have been delivered: the
	// request was written and no answer was seen.
	Unknown int `json:"-"`
	// At is when the part was stored.
	At time.Time `json:"-"`
}
