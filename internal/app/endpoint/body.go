package endpoint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/inbound"
)

// Bounds of a request. Clients send the whole history each time, with its pictures.
const (
	maxBody         = 32 << 20
	maxFiles        = 10
	maxFileBytes    = 10 << 20 // of all files of the newest message
	maxStored       = 20 << 20 // of all files of a person that wait
	maxConversation = 200      // bytes of a conversation's name
	maxName         = 100      // runes of a file's name
	bodyPatience    = time.Minute
)

// body is a request as clients send it. What is not here is ignored.
type body struct {
	Model         string          `json:"model"`
	Messages      json.RawMessage `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N              *int            `json:"n"`
	User           string          `json:"user"`
	Metadata       json.RawMessage `json:"metadata"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Modalities []string `json:"modalities"`
}

// entry is one message of the history.
type entry struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// part is a part of a message's content.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
	File struct {
		Data string `json:"file_data"`
		ID   string `json:"file_id"`
		Name string `json:"filename"`
	} `json:"file"`
	Audio struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
}

// upload is a file of the newest message.
type upload struct {
	name, mime string
	voice      bool
	data       []byte
}

// asked is what a request says.
type asked struct {
	text, preface string
	files         []upload
	conversation  string
	key           string // its Idempotency-Key
	digest        string
	again         bool // the client repeats itself
	stream, usage bool
}

// read reads a request while few others are read.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (b body, err error) {
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-time.After(slotPatience):
		return b, refuse(http.StatusServiceUnavailable, "overloaded",
			"Too many requests are being read. Try again in a moment.").wait(2 * time.Second)
	case <-r.Context().Done():
		return b, r.Context().Err()
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyPatience))
	raw, err := inbound.Body(w, r, maxBody)
	var no *inbound.BodyError
	switch {
	case errors.As(err, &no) && no.Status == http.StatusRequestEntityTooLarge:
		return b, refuse(no.Status, "request_too_large", fmt.Sprintf("A request has at most %d MiB.", maxBody>>20))
	case err != nil:
		return b, refuse(http.StatusRequestTimeout, "body_incomplete", "The body broke off or took too long. Nothing was taken.")
	case !utf8.Valid(raw):
		return b, invalid("", "The body is not UTF-8.")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // from now on the client waits for us
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, invalid("", "The body is not the JSON of a chat completion.")
	}
	return b, nil
}

// understand returns what a request asks for.
func (e *Endpoint) understand(h http.Header, b body) (a asked, err error) {
	if b.Model != "" && b.Model != e.model() {
		return a, refuse(http.StatusNotFound, "model_not_found",
			fmt.Sprintf("There is no model %q here. This bot is %q.", text.Shorten(b.Model, 100),
				e.model())).about("model")
	}
	if err := errors.Join(supported(b), chore(h)); err != nil {
		return a, err
	}
	var list []entry
	if json.Unmarshal(b.Messages, &list) != nil || len(list) == 0 {
		return a, invalid("messages", "messages must be a list of messages with a role and content.")
	}
	a.stream, a.usage = b.Stream, b.StreamOptions.IncludeUsage
	newest := list[len(list)-1]
	if newest.Role != "user" {
		return a, invalid("messages",
			"The last message must be the user's: the bot keeps the conversation itself and continues no other message.")
	}
	if a.text, a.files, err = contents(newest.Content); err != nil {
		return a, err
	}
	if strings.TrimSpace(a.text) == "" && len(a.files) == 0 {
		return a, invalid("messages", "The last message is empty.")
	}
	if a.preface, err = preface(list); err != nil {
		return a, err
	}
	sum := sha256.Sum256(b.Messages)
	a.digest = hex.EncodeToString(sum[:])
	if a.conversation, err = conversation(h, b); err != nil {
		return a, err
	}
	a.key, a.again = h.Get("Idempotency-Key"), cmp.Or(h.Get("X-Stainless-Retry-Count"), "0") != "0"
	if len(a.key) > maxConversation {
		return a, invalid("", "The Idempotency-Key is too long.")
	}
	return a, nil
}

// supported refuses what cannot be ignored without giving another answer than was asked for.
func supported(b body) error {
	choice := strings.TrimSpace(string(b.ToolChoice))
	switch {
	case b.N != nil && *b.N != 1:
		return unsupported("n", "n must be 1: there is one answer to a message.")
	case choice != "" && choice != "null" && choice != `"auto"` && choice != `"none"`:
		return unsupported("tool_choice",
			"The bot uses its own tools and calls none of yours; leave tool_choice out, or set it to auto or none.")
	case b.ResponseFormat.Type != "" && b.ResponseFormat.Type != "text":
		return unsupported("response_format", "The bot answers in text; ask for JSON in the message if you want it.")
	}
	for _, m := range b.Modalities {
		if m != "text" {
			return unsupported("modalities", "The bot answers in text.")
		}
	}
	return nil
}

// chore refuses what Open WebUI asks on its own account about a chat, such as its title: it
// would be kept and remembered as the person's words. A placeholder that an older one does not
// know says nothing.
func chore(h http.Header) error {
	task := h.Get("X-OpenWebUI-Task")
	if task == "" || strings.HasPrefix(task, "{{") {
		return nil
	}
	return unsupported("", fmt.Sprintf("The bot does no %q for a page: it would remember that as words of yours. Choose another model for tasks.",
		text.Shorten(task, 40)))
}

// conversation returns the client's name for the conversation, "" for none.
func conversation(h http.Header, b body) (string, error) {
	var meta struct {
		Conversation string `json:"conversation_id"`
		Chat         string `json:"chat_id"`
	}
	_ = json.Unmarshal(b.Metadata, &meta) // other metadata names none
	name := cmp.Or(h.Get("X-Conversation-Id"), h.Get("X-OpenWebUI-Chat-Id"), meta.Conversation, meta.Chat, b.User)
	if len(name) > maxConversation {
		return "", invalid("", fmt.Sprintf("The name of a conversation has at most %d bytes.", maxConversation))
	}
	return name, nil
}

// preface joins what the client says as its system: words of the person, and no rules.
func preface(list []entry) (string, error) {
	var said []string
	for _, m := range list {
		if m.Role != "system" && m.Role != "developer" {
			continue
		}
		words, _, err := contents(m.Content)
		if err != nil {
			return "", err
		}
		said = append(said, words)
	}
	return strings.Join(said, "\n\n"), nil
}

// contents reads the content of a message: a string, or parts.
func contents(raw json.RawMessage) (words string, files []upload, err error) {
	if json.Unmarshal(raw, &words) == nil {
		return words, nil, nil
	}
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil, invalid("messages", "The content of a message must be a string or a list of parts.")
	}
	var said []string
	size := 0
	for _, p := range parts {
		if p.Type == "text" {
			said = append(said, p.Text)
			continue
		}
		f, err := p.upload(len(files) + 1)
		if err != nil {
			return "", nil, err
		}
		if size += len(f.data); size > maxFileBytes || len(files) == maxFiles {
			return "", nil, refuse(http.StatusRequestEntityTooLarge, "files_too_large",
				fmt.Sprintf("A message has at most %d files with %d MiB in all.",
					maxFiles, maxFileBytes>>20)).about("messages")
		}
		files = append(files, f)
	}
	return strings.Join(said, "\n"), files, nil
}

// upload reads the n-th file of a message.
func (p part) upload(n int) (f upload, err error) {
	switch p.Type {
	case "image_url":
		f, err = fromData(p.ImageURL.URL)
		f.name = fmt.Sprintf("image-%d%s", n, extension(f.mime))
	case "file":
		if p.File.ID != "" {
			return f, unsupported("messages", "Files cannot be uploaded beforehand; send the file itself as file_data.")
		}
		f, err = fromData(p.File.Data)
		f.name = text.Clip(text.Clean(path.Base(strings.ReplaceAll(cmp.Or(p.File.Name, fmt.Sprint("file-", n)), `\`, "/"))), maxName)
	case "input_audio":
		f.data, err = decoded(p.Audio.Data)
		f.voice, f.mime = true, map[string]string{"mp3": "audio/mpeg", "wav": "audio/wav"}[p.Audio.Format]
		f.name = fmt.Sprintf("voice-%d.%s", n, cmp.Or(text.Clip(text.Clean(path.Base(p.Audio.Format)), 5), "wav"))
	default:
		return f, unsupported("messages",
			fmt.Sprintf("Parts of type %q cannot be read; text, image_url, file and input_audio can.", text.Shorten(p.Type, 40)))
	}
	f.mime = cmp.Or(f.mime, http.DetectContentType(f.data))
	return f, err
}

func extension(kind string) string {
	return map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}[kind]
}

// fromData reads a data: URL, or plain base64. Nothing is ever fetched.
func fromData(url string) (f upload, err error) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		if strings.Contains(url, "://") {
			return f, unsupported("messages", "I fetch no addresses for programs; send the file itself as a data: URL in base64.")
		}
		f.data, err = decoded(url)
		return f, err
	}
	head, data, ok := strings.Cut(rest, ",")
	kind, ok64 := strings.CutSuffix(head, ";base64")
	if !ok || !ok64 {
		return f, invalid("messages", "A data: URL must be in base64.")
	}
	f.mime, _, _ = mime.ParseMediaType(kind) // what cannot be read is looked at
	f.data, err = decoded(data)
	return f, err
}

func decoded(data string) ([]byte, error) {
	data = strings.TrimRight(strings.TrimSpace(data), "=")
	b, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil || len(bytes.TrimSpace(b)) == 0 {
		return nil, invalid("messages", "A file is not in base64, or empty.")
	}
	return b, nil
}
