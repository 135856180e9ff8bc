// A receiver of callbacks. Go 1.20 or later, nothing to install:
//
//	CALLBACK_PUBLIC_KEY=whpk_… PORT=8080 go run receiver.go
//
// `go run receiver.go verify NOW` verifies one request, {"headers": …, "body": …} on stdin, instead.
package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const toleranceSeconds = 300

// isFromService reports whether a request was signed by the holder of the public key (whpk_…) at most five minutes ago or ahead.
func isFromService(header func(string) string, body []byte, publicKey string, now int64) bool {
	id, timestamp := header("webhook-id"), header("webhook-timestamp")
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || now-sent > toleranceSeconds || sent-now > toleranceSeconds {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKey, "whpk_"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return false
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	for _, one := range strings.Split(header("webhook-signature"), " ") {
		text, found := strings.CutPrefix(one, "v1a,")
		signature, err := base64.StdEncoding.DecodeString(text)
		if found && err == nil && ed25519.Verify(key, signed, signature) {
			return true
		}
	}
	return false
}

type event struct {
	Event      string `json:"event"`
	DeliveryID string `json:"delivery_id"`
	Nonce      string `json:"nonce"`
	State      string `json:"state"`
	Sequence   int    `json:"sequence"`
}

func main() {
	publicKey := os.Getenv("CALLBACK_PUBLIC_KEY")
	if len(os.Args) > 2 && os.Args[1] == "verify" {
		verifyOne(publicKey, os.Args[2])
	}
	// Keep this where it outlives the process: an id that was taken comes again when its answer was lost.
	var taken sync.Map
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 65536))
		var callback event
		if err != nil || !isFromService(r.Header.Get, body, publicKey, time.Now().Unix()) || json.Unmarshal(body, &callback) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// Asked once before the first callback: does this host want them?
		if callback.Event == "host_proof" {
			_ = json.NewEncoder(w).Encode(map[string]string{"nonce": callback.Nonce})
			return
		}
		if _, seen := taken.LoadOrStore(callback.DeliveryID, true); !seen {
			fmt.Println(callback.Event, callback.State, callback.Sequence)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+os.Getenv("PORT"), nil))
	os.Exit(1)
}

func verifyOne(publicKey, now string) {
	var request struct {
		Headers map[string]string
		Body    string
	}
	seconds, err := strconv.ParseInt(now, 10, 64)
	if err != nil || json.NewDecoder(os.Stdin).Decode(&request) != nil {
		os.Exit(2)
	}
	header := func(name string) string { return request.Headers[name] }
	if !isFromService(header, []byte(request.Body), publicKey, seconds) {
		os.Exit(1)
	}
	os.Exit(0)
}
