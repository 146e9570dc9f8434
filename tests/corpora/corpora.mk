# corpora.mk - included by the Makefile, whose variables it uses.

## corpora: decode all files under CORPUS=DIR with `sat`, Pillow and OpenCV, and compare
.PHONY: corpora
corpora: $(B)/sat
	@B=$(B) tests/corpora/corpora.sh '$(CORPUS)'
