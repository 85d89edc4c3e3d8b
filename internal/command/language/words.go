package language

// /language.
const (
	helpLanguage        = "The language I speak with you"
	helpLanguageName    = "its name or its tag, such as de; auto follows your platform and your messages"
	wordsLanguageSet    = "From now on I speak %s with you."
	wordsLanguageAuto   = "I go by your platform and your messages again: %s."
	wordsLanguageHeard  = "I speak %s with you: that is what your platform or your messages say."
	wordsLanguageChosen = "I speak %s with you, because you chose it."
	wordsLanguages      = "Change that with /language and one of these: %s."
	wordsLanguageBack   = "Automatic"
	wordsNoLanguage     = "I do not speak %s. I speak %s."
)
