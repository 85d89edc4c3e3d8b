package attachments

// What people are told about files. Most have a %s for the file's name.
const (
	wordsManyFiles    = "I looked at the first %d files only."
	wordsFileTooLarge = "I can't open %%s: it is larger than %d MB."
	wordsFileGone     = "I can't open %s: it is no longer there. Please send it again."
	wordsFileLost     = "I could not fetch %s. Please send it again."
	wordsFileEmpty    = "There is nothing in %s that I could read."
	wordsFileKind     = "I can't open %s: I don't know that kind of file."
	wordsFileFake     = "I can't open %s: it is not what it says it is."
	wordsFileFull     = "I did not read %s: the files before it are all I can take at once."
	wordsFileCut      = "Of %s I read only the beginning; it is too long for me."
	wordsBlind        = "I can't look at %s: my model is not set up for pictures."
	wordsDeaf         = "I can't listen to %s: I am not set up for speech."
	wordsNotHeard     = "I could not make out what is said in %s. Please try again, or write it."
	wordsSpeechLong   = "I can't listen to %s: it is longer than half an hour."
	wordsImageHuge    = "I can't look at %s: it has too many pixels."
	wordsImageBroken  = "I can't look at %s: the picture is damaged."
	wordsPDFBroken    = "I can't read %s: the PDF is damaged, protected or too much for me."
)
