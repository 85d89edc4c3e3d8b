package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"parley/internal/text"
)

// Format is a kind of export.
type Format struct {
	Name    string // as --format takes it
	Title   string // as people call it
	Expects string // which files it consists of
	// Private is true if it says nothing of places that the bot knows: what it holds becomes
	// somebody's own conversations.
	Private bool
	reads   func(name string) bool              // whether it reads a file of this name
	fits    func(files []member, h []byte) bool // whether those files, with the head of the first, are of it
	into    func(*reading, []member) error
}

// Formats are those that are known, the most certain first.
var Formats = []Format{
	{"chatgpt", "ChatGPT", "conversations.json, or the archive with it", true, conversationsFile,
		hasName("mapping"), eachFile((*reading).chatGPT)},
	{"claude", "Claude", "conversations.json, or the archive with it", true, conversationsFile,
		hasName("chat_messages"), eachFile((*reading).claude)},
	{"openwebui", "Open WebUI", "the JSON file of “Export chats”", true, ending(".json"),
		hasName("chat", "history"), eachFile((*reading).openWebUI)},
	{"telegram", "Telegram Desktop", "result.json", false, named(`(^|/)result\.json$`), func(_ []member, h []byte) bool {
		return telegramExport(bufio.NewReader(bytes.NewReader(h)))
	}, eachFile(func(r *reading, _ member, in *bufio.Reader) error { return readTelegram(in, r.each) })},
	{"discord", "Discord's data package", "the archive with the folder messages", true,
		named(`(?i)(^|/)(messages|c?\d{5,}|c\d+)/(index\.json|channel\.json|messages\.(json|csv))$`),
		holds(`(?i)(^|/)c?\d+/messages\.(json|csv)$`), (*reading).discord},
	{"hermes", "Hermes Agent", "its folder .hermes, or what “hermes sessions export” writes", true,
		named(`(^|/)sessions/[^/]+\.jsonl$|(^|/)memories/(MEMORY|USER)\.md$`), hermesFits, (*reading).hermes},
	{"openclaw", "OpenClaw", "its folder .openclaw, or its workspace", true,
		named(`(^|/)sessions/[^/]+\.jsonl$|(^|/)(MEMORY|USER)\.md$`), openClawFits, (*reading).openClaw},
	{"whatsapp", "WhatsApp", "the text file of “Export chat”, or the archive with it", true, ending(".txt"), func(_ []member, h []byte) bool {
		return whatsAppFits(h)
	}, (*reading).whatsApp},
	{"lines", "JSON lines", `one message a line, {"platform", "channel", "user", "text", "at" …}`, false, named(`^[^/]+$`),
		func(f []member, h []byte) bool {
			return len(f) == 1 && jsonLine(h) != nil
		}, eachFile(func(r *reading, _ member, in *bufio.Reader) error { return readLines(in, r.each) })},
}

// named reports whether a name has this form.
func named(form string) func(string) bool {
	p := text.Pattern(form)
	return func(name string) bool { return p().MatchString(name) }
}

func ending(with string) func(string) bool {
	return func(name string) bool { return strings.EqualFold(path.Ext(name), with) }
}

// holds reports whether one of the files has a name of this form.
func holds(form string) func([]member, []byte) bool {
	fits := named(form)
	return func(files []member, _ []byte) bool {
		return slices.ContainsFunc(files, func(m member) bool { return fits(m.name) })
	}
}

// conversationsFile fits conversations.json and the parts of one that was cut up.
func conversationsFile(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "conversations") && strings.HasSuffix(base, ".json")
}

// hasName reports whether the first object of JSON has one of these names.
func hasName(names ...string) func([]member, []byte) bool {
	return func(files []member, head []byte) bool {
		return jsonHas(head, names...)
	}
}

func jsonHas(head []byte, names ...string) bool {
	return slices.ContainsFunc(firstNames(head), func(n string) bool { return slices.Contains(names, n) })
}

// eachFile reads file by file.
func eachFile(one func(*reading, member, *bufio.Reader) error) func(*reading, []member) error {
	return func(r *reading, files []member) error {
		for _, m := range files {
			if err := r.x.read(m, r.sum, func(in *bufio.Reader) error { return one(r, m, in) }); err != nil {
				return err
			}
		}
		return nil
	}
}

// jsonLine returns the first line if it is, or begins, an object; nil if not.
func jsonLine(head []byte) []byte {
	line, _, whole := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("\n"))
	if !bytes.HasPrefix(line, []byte("{")) || whole && !json.Valid(bytes.TrimSpace(line)) {
		return nil
	}
	return line
}
