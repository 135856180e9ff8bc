// Judges a transparency log by Go's own verifiers: its checkpoint and cosignatures, every entry by tiles and by the
// proofs that the log hands out, and the consistency with an older checkpoint. Each of them has to refuse a change too.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8

// tiles reads the tiles of C2SP tlog-tiles, whose paths have no height.
type tiles struct{ url string }

func (tiles) Height() int { return tileHeight }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(wanted))
	for i, tile := range wanted {
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight), "tile/", 1)
		body, err := get(t.url + "/" + path)
		if err != nil {
			return nil, err
		}
		found[i] = body
	}
	return found, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	url := flag.String("url", "", "where the log is served, up to but without /checkpoint")
	logKey := flag.String("log-key", "", "verifier key of the log")
	witnessKey := flag.String("witness-key", "", "verifier key of a witness that cosigned the checkpoint")
	cosigned := flag.String("cosigned", "", "file with a checkpoint that the witness cosigned")
	older := flag.String("older", "", "file with an older checkpoint")
	proofs := flag.String("proofs", "", "files of receipts' proofs, separated by commas, each named RECEIPT.tlog-proof")
	flag.Parse()
	judge(*url, *logKey, *witnessKey, *cosigned, *older, *proofs)
}

func judge(url, logKey, witnessKey, cosigned, older, proofs string) {
	logVerifier := must(note.NewVerifier(logKey))
	witness := must(fnote.NewVerifierForCosignatureV1(witnessKey))
	open := func(text []byte) *log.Checkpoint {
		checkpoint, _, _, err := log.ParseCheckpoint(text, logVerifier.Name(), logVerifier)
		check("checkpoint of "+logVerifier.Name(), err)
		return checkpoint
	}

	served := must(get(url + "/checkpoint"))
	current := open(served)
	refuse("a changed checkpoint", func() error {
		_, _, _, err := log.ParseCheckpoint(changed(served, "\n"), logVerifier.Name(), logVerifier)
		return err
	})

	text := must(os.ReadFile(cosigned))
	signed, err := note.Open(text, note.VerifierList(logVerifier, witness))
	check("cosigned checkpoint", err)
	if len(signed.Sigs) != 2 {
		check("cosignature", fmt.Errorf("%d good signatures", len(signed.Sigs)))
	}
	for _, signature := range signed.Sigs {
		if signature.Name != witness.Name() {
			continue
		}
		at, err := fnote.CoSigV1Timestamp(signature)
		check(fmt.Sprintf("cosignature of %s at %s", witness.Name(), at.UTC()), err)
	}
	refuse("a cosignature of another checkpoint", func() error {
		_, err := note.Open(changed(text, "\n"), note.VerifierList(witness))
		return err
	})

	root := rootOf(current)
	tree := tlog.Tree{N: int64(current.Size), Hash: root}
	reader := tlog.TileHashReader(tree, tiles{url})

	old := open(must(os.ReadFile(older)))
	consistency, err := tlog.ProveTree(tree.N, int64(old.Size), reader)
	check("consistency proof by tiles", err)
	check(fmt.Sprintf("consistency of %d and %d", old.Size, current.Size),
		tlog.CheckTree(consistency, tree.N, root, int64(old.Size), rootOf(old)))
	refuse("another older root", func() error {
		return tlog.CheckTree(consistency, tree.N, root, int64(old.Size), root)
	})

	entries := must(readEntries(url, tree.N))
	for i, entry := range entries {
		leaf := tlog.RecordHash(entry)
		inclusion, err := tlog.ProveRecord(tree.N, int64(i), reader)
		if err == nil {
			err = tlog.CheckRecord(inclusion, tree.N, root, int64(i), leaf)
		}
		if err != nil {
			check(fmt.Sprintf("entry %d by tiles", i), err)
		}
	}
	fmt.Printf("ok  %d entries by tiles\n", len(entries))

	files := strings.Split(proofs, ",")
	for _, file := range files {
		judgeProof(file, open)
	}
	fmt.Printf("ok  %d proofs of receipts\n", len(files))
}

// judgeProof checks a proof file against the receipt next to it: its entry is the SHA-256 of the SHA-256 of the compact JWS.
func judgeProof(file string, open func([]byte) *log.Checkpoint) {
	var given proof.TLogProof
	check("proof file", given.Unmarshal(must(os.ReadFile(file))))
	receipt := must(os.ReadFile(strings.TrimSuffix(file, ".tlog-proof") + ".jws"))
	digest := sha256.Sum256(receipt)
	entry := sha256.Sum256(digest[:])
	leaf := tlog.RecordHash(entry[:])
	checkpoint := open(given.Checkpoint)
	var hashes tlog.RecordProof
	for _, hash := range given.Hashes {
		hashes = append(hashes, tlog.Hash(hash))
	}
	size, root := int64(checkpoint.Size), rootOf(checkpoint)
	check("inclusion of "+hex.EncodeToString(entry[:4]),
		tlog.CheckRecord(hashes, size, root, int64(given.Index), leaf))
	leaf[0] ^= 1
	refuse("another entry", func() error {
		return tlog.CheckRecord(hashes, size, root, int64(given.Index), leaf)
	})
}

// readEntries reads all entries: each has its length in two bytes before it.
func readEntries(url string, size int64) ([][]byte, error) {
	var entries [][]byte
	for n := int64(0); n*256 < size; n++ {
		width := int(min(256, size-n*256))
		path := tlog.Tile{H: tileHeight, L: -1, N: n, W: width}.Path()
		body, err := get(url + "/" + strings.Replace(path, "tile/8/data/", "tile/entries/", 1))
		if err != nil {
			return nil, err
		}
		for range width {
			if len(body) < 2 || len(body) < 2+int(binary.BigEndian.Uint16(body)) {
				return nil, fmt.Errorf("bundle %d is too short", n)
			}
			length := 2 + int(binary.BigEndian.Uint16(body))
			entries, body = append(entries, body[2:length]), body[length:]
		}
		if len(body) > 0 {
			return nil, fmt.Errorf("bundle %d is too long", n)
		}
	}
	return entries, nil
}

func get(url string) ([]byte, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return body, err
}

func rootOf(checkpoint *log.Checkpoint) (root tlog.Hash) {
	if len(checkpoint.Hash) != len(root) {
		check("root", fmt.Errorf("%d bytes", len(checkpoint.Hash)))
	}
	copy(root[:], checkpoint.Hash)
	return root
}

// changed makes another size of the one after this text.
func changed(text []byte, before string) []byte {
	at := bytes.Index(text, []byte(before)) + len(before)
	other := bytes.Clone(text)
	other[at] = '1' + (other[at]-'0')%9
	return other
}

func check(what string, err error) {
	if err != nil {
		fmt.Printf("NO  %s: %v\n", what, err)
		os.Exit(1)
	}
	fmt.Printf("ok  %s\n", what)
}

func refuse(what string, verify func() error) {
	if verify() == nil {
		fmt.Printf("NO  %s is taken as good\n", what)
		os.Exit(1)
	}
	fmt.Printf("ok  %s is refused\n", what)
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("NO ", err)
		os.Exit(1)
	}
	return value
}
