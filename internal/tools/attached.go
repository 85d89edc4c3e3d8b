package tools

import "parley/internal/chat"

// Attached is the Data of a result that comes with files: pictures, recordings
// and documents. The person gets them with the answer, and a model that sees
// is shown the pictures. They come from outside.
type Attached []chat.File
