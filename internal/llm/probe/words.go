package probe

// What operators read.
const (
	wordsNoAddress = "that is no address, so nothing was sent; one looks like https://api.openai.com/v1 or http://localhost:11434/v1"
	wordsNoList    = "something answers at %s, but it is no list of models"
	wordsProxy     = "the proxy between here and the model wants a login: put it into HTTPS_PROXY, as in http://name:password@proxy:3128"
	wordsLedAway   = "%s led me on to %s, which is no model: probably the login page of a network or a proxy; log in " +
		"there with a browser, or set NO_PROXY"
	wordsNoKey       = "%s wants a key, and none is set"
	wordsKey         = "%s refuses the key: copy it again, whole, and see that it has not expired or been deleted"
	wordsPage        = "a web page answers at %s, not a model: either the path is wrong (most end in /v1), or a proxy answers in its place"
	wordsPath        = "the host answers, but there is no model at %s: the path is wrong (most end in /v1)"
	wordsUnwell      = "%s has trouble of its own (status %d): try again later, or look at its log if it is yours"
	wordsStatus      = "%s answered with status %d"
	wordsBroken      = "%s broke off its answer"
	wordsClockBehind = "this machine's clock is wrong: it says %s, and the certificate of %s begins on %s; set the " +
		"clock, for example with timedatectl set-ntp true"
	wordsClockAhead = "the certificate of %s ended on %s, or this machine's clock is wrong: it says %s; set the clock, " +
		"for example with timedatectl set-ntp true"
	wordsCert = "the certificate of %s is one that this machine does not trust: a proxy may stand between, or its " +
		"authority is to be added to this machine"
	wordsNoTLS     = "%s speaks plain HTTP: write http:// instead of https://"
	wordsNoHost    = "there is no host called %s, or the network is down: check the spelling"
	wordsNobody    = "nothing listens at %s: is the server started, and is the port right?"
	wordsSilent    = "%s does not answer in time: check the network, and any firewall"
	wordsUnreached = "%s cannot be reached: %v"

	wordsQuota      = "%s says that nothing is left of this account: add credit there, or choose another model"
	wordsBusy       = "%s turns requests away for now (too many): try again in a minute"
	wordsNoModel    = "%s does not have the model %s"
	wordsNoModelHas = "%s does not have the model %s; it has %s"
	wordsRefuses    = "%s does not accept a conversation with %s: %s"
	wordsTooSlow    = "%s did not answer within %s: a local model may still be loading, so try once more, or choose a smaller one"
	wordsNonsense   = "%s answered with nothing that can be read: %s"
)
