package factsfile

// What is said about the facts file.
const (
	WordsFine    = "The facts file is in use; nothing in it was refused."
	wordsRefused = "I am not using the facts file: %s\nIf it was cut off or replaced by accident, restore the whole " +
		"file and everything continues. /facts file undo undoes what an earlier version of it did."
	wordsAccepted  = "The facts file is used as it is, within a few seconds (facts gone: %d, changed: %d). /facts file undo takes that back."
	wordsAnew      = "The facts file is written again within a few seconds."
	wordsWithdrawn = "Undone: the facts file is not used as it is."
	wordsUndone    = "Undone what the facts file did on %s. Facts restored: %d, with their earlier words: %d, taken out: " +
		"%d. The file follows in a few seconds."
)
