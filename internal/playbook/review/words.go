package review

// English only: what an answer lacks, for the model that writes it anew and for those who ask why.
const (
	wordMust     = "It must say: %s."
	wordMustNot  = "It must not say: %s."
	wordVerbatim = "It must contain this, word for word: %s"
	wordClaims   = "It says that something was done, and no tool has done it (%s)."
	wordJudged   = "It does not keep a rule: %s."
	wordRule     = "The rule: %s"
)
