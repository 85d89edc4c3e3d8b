package setup

// What a start tells its operator of the models.
const (
	wordsModel   = "Model: %s at %s."
	wordsModels  = "Models: %s."
	wordsBuiltIn = "Model: the built-in responder, as configured."
	wordsUnset   = "Model: the built-in responder, because no language model is set. Set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL, or start Ollama."
	wordsMeaning = "%s Meaning: %s."
)
