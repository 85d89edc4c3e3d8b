package fields

// What people read, in one place.
const (
	wordYes          = "yes"
	wordNo           = "no"
	wordFieldWhole   = "I need a whole number."
	wordFieldNumber  = "I need a number."
	wordFieldChoice  = "I need one of the answers in the list, or its number."
	wordFieldSize    = "The number must be %s."
	wordFieldLength  = "The number of characters must be %s."
	wordFieldCount   = "The number of answers must be %s."
	wordFieldBetween = "between %v and %v"
	wordFieldLeast   = "at least %v"
	wordFieldMost    = "at most %v"
	wordFieldMail    = "I need an email address."
	wordFieldAddress = "I need an address that begins like https://."
	wordFieldDate    = "I need a date such as 2026-03-31."
	wordFieldTime    = "I need a date and a time such as 2026-03-31T18:00:00Z."
)
