package setup

// What a start tells its operator of the models.
const (
	wordsModel   = "Model: %s at %s."
	wordsModels  = "Models: %s."
	wordsBuiltIn = "Model: the built-in responder, as configured."
	wordsUnset   = "Model: the built-in responder, because no language model is set. Set OPENAI_API_KEY, or " +
		"OPENAI_BASE_URL and OPENAI_MODEL, or start Ollama."
	wordsMeaning = "%s Meaning: %s."
)

// What stands in the way of a model's key.
const (
	wordsNoKey  = "no key is set, and %s needs one"
	wordsSetKey = "set OPENAI_API_KEY, or OPENAI_BASE_URL with the address of another provider and its key, or pull " +
		"a model with Ollama and name that one"
	wordsSetItsKey  = "set its api_key, such as ${OPENAI_API_KEY}, or the base_url of a server that needs none"
	wordsForeignKey = "model.api_key is a key of %s and was sent nowhere: set model.base_url to %s, and model.name"
)
