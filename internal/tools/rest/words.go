package rest

// wordsAsk asks a person whether a tool may be called: its name, the method, the host.
const wordsAsk = "Call **%s** (%s, %s)?"

// What models and people read.
const (
	wordsStatus   = "the service answered with status %d (%s)"
	wordsNoBody   = "The service answered with status %d and sent nothing else."
	wordsFile     = "The service answered with a file of type %s, which cannot be read as text."
	wordsNoResult = "The service answered, but what is wanted of its answer is not in it."
	wordsNotJSON  = "the service did not answer in JSON"
	wordsTooLong  = "the service's answer is longer than %d bytes"
	wordsUnfit    = "the service's answer is not of the form that the tool expects"
	wordsNoHost   = "there is no host of the service's name"
	wordsUnsafe   = "the certificate of the service is not valid"
	wordsUnread   = "the service could not be reached, or broke off"
	wordsAway     = "the service redirects to another host, which is not followed: its address in the settings is not right"
	wordsChanged  = "the service redirects what should change something: its address in the settings is not right"
)
