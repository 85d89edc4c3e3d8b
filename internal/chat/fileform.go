package chat

// FileForm is what people call a file that is more than its kind says.
type FileForm string

// The forms; "" is an ordinary file.
const (
	FormGIF     FileForm = "gif"
	FormVideo   FileForm = "video"
	FormNote    FileForm = "video_note" // a round video that somebody filmed of themselves
	FormSticker FileForm = "sticker"    // its emoji or name stands in the text
	// FormUnseen was sent, but the platform does not hand it to bots: Name says what it is,
	// in English.
	FormUnseen FileForm = "unseen"
)

// Moves reports whether the file is a film, of which a picture can be seen at most.
func (f FileForm) Moves() bool { return f == FormGIF || f == FormVideo || f == FormNote }

// What people send that a platform does not hand to bots, as FormUnseen names it.
const (
	WordsStory    = "a story"
	WordsPaid     = "paid media"
	WordsGame     = "a game"
	WordsInvoice  = "an invoice"
	WordsGiveaway = "a giveaway"
)
