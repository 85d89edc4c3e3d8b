package gate

// Remembered returns how many people q keeps a bucket for.
func Remembered(q *Quotas) int { return len(q.buckets) }
