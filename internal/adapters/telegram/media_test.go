package telegram

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/chat"
)

// TestMedia: what people send is put into words as far as Telegram tells, and every film
// has its length and its picture. Words that others may have chosen are marked.
func TestMedia(t *testing.T) {
	for name, tt := range map[string]struct {
		in     string
		text   string
		shared bool
		file   *chat.File
	}{
		"a GIF, which is a document too": {`"caption":"ha","animation":{"file_id":"g","duration":3,"mime_type":"video/mp4","file_size":9,` +
			`"thumbnail":{"file_id":"t"}},"document":{"file_id":"g","mime_type":"video/mp4"}`, "ha", false,
			&chat.File{Name: "animation.mp4", MIME: "video/mp4", Size: 9, Ref: "g", Form: chat.FormGIF, Seconds: 3, Still: "t"}},
		"a video message": {`"video_note":{"file_id":"n","length":240,"duration":12,"thumbnail":{"file_id":"t"}}`, "", false,
			&chat.File{Name: "video.mp4", MIME: "video/mp4", Ref: "n", Form: chat.FormNote, Seconds: 12, Still: "t"}},
		"a sticker of a set": {`"sticker":{"file_id":"s","emoji":"😂","set_name":"Cats"}`, "(sent a sticker: 😂, of the set Cats)", true,
			&chat.File{Name: "sticker.webp", MIME: "image/webp", Ref: "s", Form: chat.FormSticker}},
		"a sticker that moves": {`"sticker":{"file_id":"s","emoji":"😂","is_animated":true,"thumbnail":{"file_id":"t"}}`,
			"(sent a sticker: 😂)", true,
			&chat.File{Name: "sticker.webp", MIME: "video/webm", Ref: "s", Form: chat.FormSticker, Still: "t"}},
		"a poll nobody voted in": {`"poll":{"id":"1","question":"Pizza?","options":[{"text":"yes"},{"text":"no"}],"allows_multiple_answers":true}`,
			"(shared a poll: Pizza? Options: yes; no; several may be chosen)", true, nil},
		"a poll with votes": {`"poll":{"id":"1","question":"Pizza?","total_voter_count":3,"is_closed":true,"options":[{"text":"yes","voter_count":2},` +
			`{"text":"no","voter_count":1}]}`, "(shared a poll: Pizza? Options: yes (2 votes); no (1 votes); it is closed)", true, nil},
		"a quiz": {`"poll":{"id":"1","type":"quiz","question":"2+2?","options":[{"text":"4"},{"text":"5"}],"correct_option_ids":[0]}`,
			"(shared a quiz: 2+2? Options: 4 (correct); 5)", true, nil},
		"a checklist": {`"checklist":{"title":"Trip","tasks":[{"id":1,"text":"tickets","completion_date":5},{"id":2,"text":"socks"}]}`,
			"(shared a checklist: Trip: [x] tickets; [ ] socks)", true, nil},
		"a story": {`"story":{"id":1,"chat":{"id":9,"type":"private","first_name":"Bea"}}`,
			"(shared a story of Bea, which bots are not shown)", true,
			&chat.File{Name: chat.WordsStory, Form: chat.FormUnseen}},
		"paid media": {`"caption":"look","paid_media":{"star_count":1,"paid_media":[]}`, "look", false,
			&chat.File{Name: chat.WordsPaid, Form: chat.FormUnseen}},
		"dice":      {`"dice":{"emoji":"🎲","value":4}`, "(rolled 🎲: 4)", false, nil},
		"a contact": {`"contact":{"first_name":"Bea","last_name":"Roe","phone_number":"+491"}`, "(shared a contact: Bea Roe, +491)", true, nil},
		"a venue": {`"venue":{"title":"Bar","address":"Street 1","location":{"latitude":1.5,"longitude":2}},"location":{"latitude":1.5,"longitude":2}`,
			"(shared a place: Bar, Street 1; at 1.5, 2)", true, nil},
		"where somebody is": {`"location":{"latitude":1.5,"longitude":2,"live_period":60}`, "(shared a live location: 1.5, 2)", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			raw := fmt.Sprintf(`{"update_id":1,"message":{"message_id":5,"date":1700000000,"chat":{"id":42,"type":"private"},`+
				`"from":{"id":42,"first_name":"Ann"},%s}}`, tt.in)
			m := reader(t).event([]byte(raw)).message
			var files []chat.File
			if tt.file != nil {
				files = []chat.File{*tt.file}
			}
			if diff := cmp.Diff(files, m.Files); m.Text != tt.text || m.Shared != tt.shared || m.Kind == chat.KindSkipped || diff != "" {
				t.Errorf("%q, shared %v, %s\n%s", m.Text, m.Shared, m.Kind, diff)
			}
		})
	}
}
