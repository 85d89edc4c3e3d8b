package discord

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/chat"
)

// TestMedia: stickers and polls are put into words, films and what was spoken are known as
// such, and what is passed on comes with its files.
func TestMedia(t *testing.T) {
	_, _, a := live(t)
	sticker := func(format int) string {
		return fmt.Sprintf(`"sticker_items":[{"id":"7","name":"Wave","format_type":%d}]`, format)
	}
	picture := func(ending string) []chat.File {
		return []chat.File{{Name: "sticker", MIME: "image/png", Ref: "https://media.discordapp.net/stickers/7." + ending, Form: chat.FormSticker}}
	}
	for name, tt := range map[string]struct {
		in     string
		text   string
		shared bool
		files  []chat.File
	}{
		"a sticker":               {sticker(1), "(sent a sticker: Wave)", true, picture("png")},
		"a sticker that moves":    {sticker(4), "(sent a sticker: Wave)", true, picture("gif")},
		"a sticker that is drawn": {sticker(3), "(sent a sticker: Wave)", true, nil},
		"a sticker without id":    {`"sticker_items":[{"id":"../x","name":"Wave","format_type":1}]`, "(sent a sticker: Wave)", true, nil},
		"words and a sticker":     {`"content":"hi",` + sticker(3), "hi\n(sent a sticker: Wave)", true, nil},
		"a poll": {`"poll":{"question":{"text":"Pizza?"},"allow_multiselect":true,"answers":[{"answer_id":1,"poll_media":{"text":"yes",` +
			`"emoji":{"name":"🍕"}}},{"answer_id":2,"poll_media":{"text":"no"}}]}`,
			"(shared a poll: Pizza? Options: 🍕 yes; no; several may be chosen)", true, nil},
		"a poll with votes": {`"poll":{"question":{"text":"Pizza?"},"answers":[{"answer_id":1,"poll_media":{"text":"yes"}},` +
			`{"answer_id":2,"poll_media":{"text":"no"}}],"results":{"is_finalized":true,"answer_counts":[{"id":1,"count":2}]}}`,
			"(shared a poll: Pizza? Options: yes (2 votes); no (0 votes); it is closed)", true, nil},
		"what was spoken": {`"flags":8192,"attachments":[{"filename":"voice.ogg","content_type":"audio/ogg","size":5,"url":"https://x/v","duration_secs":3.2}]`,
			"", false, []chat.File{{Name: "voice.ogg", MIME: "audio/ogg", Size: 5, Ref: "https://x/v", Voice: true}}},
		"a video": {`"attachments":[{"filename":"a.mp4","content_type":"video/mp4","size":5,"url":"https://x/v"}]`,
			"", false, []chat.File{{Name: "a.mp4", MIME: "video/mp4", Size: 5, Ref: "https://x/v", Form: chat.FormVideo}}},
		"passed on": {`"message_reference":{"type":1},"message_snapshots":[{"message":{"content":"see","attachments":[{"filename":"a.png",` +
			`"content_type":"image/png","size":5,"url":"https://x/p"}]}}]`,
			"see", false, []chat.File{{Name: "a.png", MIME: "image/png", Size: 5, Ref: "https://x/p"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var m wireMessage
			raw := fmt.Sprintf(`{"id":"100","channel_id":"10","author":{"id":"42","username":"ann"},"type":0,%s}`, tt.in)
			if err := decode([]byte(raw), &m); err != nil {
				t.Fatal(err)
			}
			out, reason := a.message(t.Context(), &m, chat.KindText)
			if out == nil {
				t.Fatal(reason)
			}
			if diff := cmp.Diff(tt.files, out.Files); out.Text != tt.text || out.Shared != tt.shared || diff != "" {
				t.Errorf("%q, shared %v\n%s", out.Text, out.Shared, diff)
			}
		})
	}
}
