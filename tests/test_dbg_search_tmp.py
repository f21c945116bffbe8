import sys
sys.path.insert(0,'/work/main/tests')
from place import debugging
def test_x(place):
    place.transcript("s-0", *debugging())
    place.transcript("s-1", *debugging("the cookie check", 20))
    print(place.run("import"))
    print(place.run("compile","--engine","offline"))
    for p,b in place.files().items(): print(p); print(b.decode()[:1500])
    print(place.run("search","why tokens looked expired"))
    assert 0
