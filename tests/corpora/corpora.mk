# corpora.mk - included by the Makefile, whose variables it uses.

## corpora: decode all files under CORPUS=DIR with `sat`, Pillow, OpenCV and tifffile, and compare
.PHONY: corpora
corpora: $(B)/sat
	@B=$(B) tests/corpora/corpora.sh '$(CORPUS)'
