"""Words that the claims of long runs are made of: so many that none comes twice."""

THINGS = """
anchor bakery canal drummer elevator ferry glacier harbour island jeweller kiln lantern meadow
notary orchard pharmacy quarry railway sawmill tannery university vineyard warehouse xylophone yacht
zoo aqueduct brewery chapel dairy embassy foundry garage hospital inn jetty kennel library museum
nursery observatory pier quay reservoir stable theatre urn viaduct windmill
"""
OBJECTS = """
violins lamps carpets bottles ladders clocks saddles tiles ropes barrels mirrors kettles umbrellas
candles hinges pillows trumpets baskets anvils ribbons maps nails pianos helmets scissors buckets
stamps drums
"""
DOES = """
rents sells paints counts moves repairs weighs hides orders borrows cleans prints
"""
PLACES = "cellar attic barn chapel harbour kiosk library mill orchard pantry quarry shed tower vault"
THINGS, OBJECTS, DOES, PLACES = THINGS.split(), OBJECTS.split(), DOES.split(), PLACES.split()
