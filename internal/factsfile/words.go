package factsfile

// What is said about the facts file.
const (
	WordsFine      = "The facts file is obeyed; nothing of it was refused."
	wordsRefused   = "I do not obey the facts file: %s\nIf it was cut or swapped by accident, put the whole file back and all goes on. /facts file undo takes back what an earlier state of it did."
	wordsAccepted  = "The facts file is obeyed as it stands, with the next look in a few seconds (facts gone: %d, changed: %d). /facts file undo takes that back."
	wordsAnew      = "The facts file is written anew with the next look in a few seconds."
	wordsWithdrawn = "I take that back: the facts file is not obeyed as it stands."
	wordsUndone    = "Undone what the facts file did on %s. Facts restored: %d, with their earlier words: %d, taken out: %d. The file follows in a few seconds."
)
