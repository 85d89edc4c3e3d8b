package web

// English only: texts for the model and, through it, for people.
const (
	wordHidden  = "[taken out because no reader would see it: %d hidden elements, %d comments, %d characters]"
	wordReadOn  = "[read on with from=%d of %d]"
	wordPageCut = "[the page goes on, but is too long to read]"
	wordNoHit   = "Nothing was found."
)
