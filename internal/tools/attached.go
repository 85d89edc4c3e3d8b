package tools

import "parley/internal/chat"

// Attached is the Data of a result with files: pictures, recordings and documents.
// The person gets them with the answer, and a model with vision sees the pictures.
// They count as coming from outside.
type Attached []chat.File
