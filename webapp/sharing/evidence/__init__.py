"""The evidence bundle: one zip that says what was found and proves it, long after the dump and the server are gone.

source    whose tables it is made from: an inspection's, redacted where asked, or those of a share
content   what it tells: report, cards with their proof, inputs, versions
proof     the records that prove the findings, whole
strip     a picture of the partition, drawn as SVG
members   the files by name, the report as one HTML file among them
pdf       the report as PDF (fonts: what letters there are)
bundle    the zip: members, their hashes, the signature
keys      the key pair of this installation
verify    whether a bundle is what was made; knows neither Django nor a database
"""
